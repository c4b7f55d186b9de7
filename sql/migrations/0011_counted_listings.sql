-- The listings that count in statistics, one column for each that workers/market/read-listings.ts names, in its order. The
-- status is 0 for ACTIVE, 1 for PENDING, 2 for SOLD. Where the feed gives no days on market they run from the listing to the
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
  f.as_of as feed_day
from listings l
join feeds f on f.id = l.feed_id
cross join lateral (select coalesce(l.status_date, l.sold_date) as day) as latest
where l.status <> 'OFF_MARKET'
  and l.lot_acres > 0
  and l.price > 0;
