-- The listings as they were known on the day bench.as_of: those sold by then, and the latest state of the
-- others if it was on the market. A state starts on the date that its source states, but no later than the
-- day it was seen.
drop table if exists pg_temp.listings, pg_temp.market_reference, pg_temp.more_reference;

create temporary table listings as
with day (d) as (select current_setting('bench.as_of')::date),
begun as (
  select distinct on (e.listing_id) e.listing_id, e.status, e.price
  from public.listing_events e, day
  where least(e.status_date, (e.recorded_at at time zone 'UTC')::date) <= d
  order by e.listing_id, e.run_id desc
)
select
  fips, zip, 'SOLD' as status, lot_acres, price, asked_price, days_on_market, listed_date, status_date, sold_date
from public.listings, day
where status = 'SOLD' and sold_date <= d
union all
select l.fips, l.zip, b.status, l.lot_acres, b.price, null, null, null, null, null
from begun b
join public.listings l on l.id = b.listing_id
cross join day
where b.status in ('ACTIVE', 'PENDING') and (l.status = 'SOLD' and l.sold_date <= d) is not true;
