-- The comps that valuations can use, in the order of their ids, one column for each that workers/valuation/read-comps.ts
-- names. The status is 0 for ACTIVE, 1 for PENDING, 2 for SOLD; the place is in integers of 1e-7 degree.
copy (
  select
    l.id, (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char", l.price::float8, l.lot_acres,
    l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips
  from listings l
  where l.status <> 'OFF_MARKET' and l.lot_acres > 0 and l.price > 0 and l.location is not null and l.fips is not null
  order by l.id
) to stdout (format binary);
