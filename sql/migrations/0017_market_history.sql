-- Market statistics as figures, packed (shared/domain/stats-codec.ts), beside the stored response.
alter table region_stats add column figures bytea;

-- What was asked for a sale is kept with it: here for those whose source did not tell.
update listings l
set asked_price = h.price
from (
  select distinct on (e.listing_id) e.listing_id, e.price
  from listing_events e
  where e.status in ('ACTIVE', 'PENDING') and e.price > 0
  order by e.listing_id, e.run_id desc
) h
where h.listing_id = l.id and l.status = 'SOLD' and coalesce(l.asked_price, 0) = 0;

-- What is no longer on the market was there before.
drop index listings_county, listings_zip;
create index listings_county on listings (fips, status);
create index listings_zip on listings (zip, status);

drop view counted_listings;

-- The listings that count in statistics, in the columns and the order that the statistics read. The status is 0
-- for ACTIVE, 1 for PENDING, 2 for SOLD. Where the feed gives no days on market they run from the listing to the
-- latest change, and are unknown where a listing begins after it ended.
create view counted_listings as
select
  l.fips,
  l.zip,
  (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char" as status,
  (l.price * 100)::int8 as cents,
  l.lot_acres,
  l.sold_date,
  coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days_on_market,
  case when l.status = 'SOLD' then l.asked_price::float8 end as asked,
  f.as_of as feed_day
from listings l
join feeds f on f.id = l.feed_id
cross join lateral (select coalesce(l.status_date, l.sold_date) as day) as latest
where l.status <> 'OFF_MARKET'
  and l.lot_acres > 0
  and l.price > 0;

-- What is known now of every day: sales from their dates on, and spells on the market by the listings' events. A
-- state holds from the day that its source names, at the latest from the day it was seen, to the next one's.
-- `listed_from`: since when its feed is read; what was on the market before is not known.
create view dated_listings as
select
  l.fips,
  l.zip,
  2::"char" as status,
  (l.price * 100)::int8 as cents,
  l.lot_acres,
  l.sold_date as since,
  null::date as until,
  coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days_on_market,
  l.asked_price::float8 as asked,
  f.as_of as feed_day,
  null::date as listed_from
from listings l
join feeds f on f.id = l.feed_id
cross join lateral (select coalesce(l.status_date, l.sold_date) as day) as latest
where l.status = 'SOLD' and l.lot_acres > 0 and l.price > 0
union all
select
  l.fips,
  l.zip,
  (case e.status when 'ACTIVE' then 0 else 1 end)::"char",
  (e.price * 100)::int8,
  l.lot_acres,
  e.since,
  e.until,
  null,
  null,
  f.as_of,
  f.listed_from
from (
  select f.id, f.as_of, least(f.as_of, coalesce(r.merged, f.created_at at time zone 'UTC')::date) as listed_from
  from feeds f
  cross join lateral (
    select min(r.finished_at) at time zone 'UTC' as merged from runs r where r.feed_id = f.id and r.status = 'merged'
  ) r
  where f.kind = 'listings'
) f
join listings l on l.feed_id = f.id
cross join lateral (
  select
    seen.status, seen.price, seen.since,
    least(
      min(seen.since) over (order by seen.run_id desc rows between unbounded preceding and 1 preceding),
      case when l.status = 'SOLD' then l.sold_date end
    ) as until
  from (
    select e.run_id, e.status, e.price, least(e.status_date, (e.recorded_at at time zone 'UTC')::date, f.as_of) as since
    from listing_events e
    where e.listing_id = l.id
  ) seen
) e
where e.status in ('ACTIVE', 'PENDING') and l.lot_acres > 0 and e.price > 0 and coalesce(e.since < e.until, true);

-- Statistics of regions at the ends of months. With `told`, the beginning of the response up to its figures, they
-- are what stats/ answered at the end of that day, and are never written again; without it they were computed
-- since.
create table market_history (
  type text not null,
  code text not null,
  as_of date not null,
  told text,
  figures bytea not null,
  primary key (type, code, as_of),
  foreign key (type, code) references regions (type, code)
);

create index market_history_told on market_history (as_of) where told is not null;

-- Up to which month the history of a region is computed, and a digest of the listings that it is computed from.
create table restated_regions (
  type text not null,
  code text not null,
  through date not null,
  digest text not null,
  primary key (type, code),
  foreign key (type, code) references regions (type, code)
);

-- The price of a standard lot over the years, fitted with the valuations (shared/kernels/valuation/price-index.ts).
alter table valuation_counties add column price_index jsonb;
