-- A fragment of `list_sales`: the rows of a sales file, with the sold parcels' data from the rolls. If a
-- parcel was sold several times on one day, keeps a qualified sale if there is one, and among those the most
-- expensive.
select distinct on (s.fips, s.key, s.day)
  s.fips, s.key, s.row_no,
  coalesce(p.situs_address, s.address) as situs_address, coalesce(p.situs_city, s.city) as situs_city,
  coalesce(p.situs_state, s.state) as situs_state, coalesce(p.situs_zip, s.zip) as situs_zip, coalesce(p.apn, s.apn, s.key) as apn,
  coalesce(s.acres, p.acres, round(p.calculated_acres::numeric, 5)::float8) as acres, coalesce(p.location, s.location) as location,
  s.day as last_sale_date, s.price as last_sale_price, '' as seller, s.book, s.several, s.sale
from stage_sale s
left join parcels p on p.fips = s.fips and p.property_id = s.parcel
order by s.fips, s.key, s.day, s.sale desc, s.price desc nulls last
