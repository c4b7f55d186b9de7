-- The comps that valuations can use, in the order of their ids, one column for each that workers/valuation/read-comps.ts
-- names. The status is 0 for ACTIVE, 1 for PENDING, 2 for SOLD; the place is in integers of 1e-7 degree.
-- The last columns are what was asked last for a sale (its source says it, or the listing's history), the feed, and whether that
-- is a roll (1) or not (0).
copy (
  select
    l.id, (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char", l.price::float8, l.lot_acres,
    l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips,
    c.steep_percent::float8, c.frontage_ft::float8, c.flood_percent::float8, c.wetlands_percent::float8,
    case when l.status = 'SOLD' then coalesce(nullif(l.asked_price, 0), h.price)::float8 end,
    l.feed_id, (f.kind = 'assessor')::int::"char"
  from listings l
  join feeds f on f.id = l.feed_id
  left join comp_land c on c.listing_id = l.id
  left join (
    select distinct on (e.listing_id) e.listing_id, e.price
    from listing_events e
    where e.status in ('ACTIVE', 'PENDING') and e.price > 0
    order by e.listing_id, e.run_id desc
  ) h on h.listing_id = l.id
  where l.status <> 'OFF_MARKET' and l.lot_acres > 0 and l.price > 0 and l.location is not null and l.fips is not null
  order by l.id
) to stdout (format binary);
