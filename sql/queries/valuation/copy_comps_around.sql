-- The same as copy_comps.sql for the comps in a box, and whether each is an outlier (1) or not (0): plat.valuation_box, as
-- set_box.sql sets it (COPY takes no parameters). Their land only where plat.valuation_land says so.
copy (
  select
    l.id, (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char", l.price::float8, l.lot_acres,
    l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips, (o.listing_id is not null)::int::"char",
    c.steep_percent::float8, c.frontage_ft::float8, c.flood_percent::float8, c.wetlands_percent::float8
  from listings l
  left join valuation_outliers o on o.listing_id = l.id
  -- Of null nothing is looked up.
  left join comp_land c on c.listing_id = case when current_setting('plat.valuation_land')::boolean then l.id end
  where l.status <> 'OFF_MARKET' and l.lot_acres > 0 and l.price > 0 and l.location is not null and l.fips is not null
    and l.location <@ current_setting('plat.valuation_box')::box
  order by l.id
) to stdout (format binary);
