-- The same as copy_comps.sql for the comps in a box: plat.valuation_box, as PostgreSQL writes a box, in integers of 1e-7
-- degree (COPY takes no parameters).
copy (
  select
    l.id, (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char", l.price::float8, l.lot_acres,
    l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips
  from listings l
  where l.status <> 'OFF_MARKET' and l.lot_acres > 0 and l.price > 0 and l.location is not null and l.fips is not null
    and l.location <@ current_setting('plat.valuation_box')::box
  order by l.id
) to stdout (format binary);
