-- A price that stands for a listing where none is found, since the day it was first set; null for one that was set beside a live listing.
alter table deals add column own_price_since date;
-- What the advice rests on and what it does to the profit, as answered.
alter table deals add column advice jsonb;
