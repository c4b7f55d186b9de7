-- What the deed of a recorded sale is known by, such as book and page: parcels that share it were sold together.
alter table listings add column deed text;
