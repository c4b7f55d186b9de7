-- expanding: offers are ranges or entered by hand, parcels have legal descriptions, exports have credits
-- The high end of the list's offers, as a percentage of the same value. Null for a single price.
alter table lists add column offer_percent_high double precision;

-- The price that a person entered, in dollars. Null for the computed one. An owner's price is split over the
-- owner's parcels in the list.
alter table list_rows add column offer bigint;

alter table parcels add column legal_description text;

-- The sources and terms of a file that has no column for them, as text.
alter table exports add column credits text;
