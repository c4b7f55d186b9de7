-- The parcels of any roll in some places.
-- $1 boxes in 1e-7 degrees text[]
select p.property_id, p.boundary
from (
  select distinct f.fips, f.property_id
  from unnest($1::text[]) place
  join parcel_filters f on f.extent && place::box
) near
join parcels p on p.fips = near.fips and p.property_id = near.property_id
order by p.property_id
