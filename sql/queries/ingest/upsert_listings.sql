-- Writes new and changed listings.
-- $1 run id bigint, $2 feed id int
insert into listings as l (
  id, feed_id, source, source_id, status, address, city, state, zip, county, apn, location, fips, lot_acres, price,
  asked_price, listed_date, status_date, sold_date, days_on_market, sale_type, url, photos, row_hash, created_run, changed_run
)
select
  s.id, $2, s.source, s.source_id, s.status, s.address, s.city, s.state, s.zip, s.county, s.apn, s.location, s.fips,
  s.lot_acres, s.price, s.asked_price, s.listed_date, s.status_date, s.sold_date, s.days_on_market, s.sale_type, s.url, s.photos,
  s.hash, $1, $1
from stage_listing s
join stage_listing_match m on m.id = s.id
where m.state <> 'unchanged'
on conflict (id) do update
set
  feed_id = excluded.feed_id,
  status = excluded.status,
  address = excluded.address,
  city = excluded.city,
  state = excluded.state,
  zip = excluded.zip,
  county = excluded.county,
  apn = excluded.apn,
  location = excluded.location,
  fips = excluded.fips,
  lot_acres = excluded.lot_acres,
  price = excluded.price,
  asked_price = excluded.asked_price,
  listed_date = excluded.listed_date,
  status_date = excluded.status_date,
  sold_date = excluded.sold_date,
  days_on_market = excluded.days_on_market,
  sale_type = excluded.sale_type,
  url = excluded.url,
  photos = excluded.photos,
  row_hash = excluded.row_hash,
  changed_run = excluded.changed_run
