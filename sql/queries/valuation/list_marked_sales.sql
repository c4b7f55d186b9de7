-- The sales at marked places, of the marked sizes. Rows of the arrays belong together.
-- $1 lon, $2 lat float8[], integers of 1e-7 degree, $3 acres float8[]
-- Returns: id, fips, sold_date, acres, price, and what is known of the land
select distinct
  l.id, l.fips, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date, l.lot_acres as acres, l.price::float8 as price,
  c.steep_percent::float8 as "steepPercent", c.frontage_ft::float8 as "frontageFt", c.flood_percent::float8 as "floodPercent",
  c.wetlands_percent::float8 as "wetlandsPercent"
from unnest($1::float8[], $2::float8[], $3::float8[]) as m (lon, lat, acres)
join listings l on l.location <@ box(point(m.lon, m.lat), point(m.lon, m.lat)) and l.lot_acres = m.acres
left join comp_land c on c.listing_id = l.id
where l.status = 'SOLD' and l.status <> 'OFF_MARKET' and l.fips is not null and l.price > 0 and l.sold_date is not null
