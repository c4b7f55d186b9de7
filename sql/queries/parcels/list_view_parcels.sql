-- The parcels of any roll whose extent meets a view, the largest first.
-- $1 box in 1e-7 degrees text, $2 limit int
select p.property_id, p.apn, p.boundary
from (
  select f.fips, f.property_id, area(f.extent) as size
  from parcel_filters f
  where f.extent && $1::box
  order by size desc, f.property_id
  limit $2
) near
join parcels p on p.fips = near.fips and p.property_id = near.property_id
order by near.size desc, p.property_id
