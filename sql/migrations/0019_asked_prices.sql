-- What was asked last for a SOLD listing, where its source says so beside the closing price (ListPrice of the RESO Data
-- Dictionary); with it and the history the list-to-sale ratio is estimated.
alter table listings add column asked_price numeric(14, 2);
