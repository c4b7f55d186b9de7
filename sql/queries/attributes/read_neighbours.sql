-- The parcels of any roll in some places, but for those that are at hand. Looked up one by one (offset 0 keeps the planner
-- from joining them otherwise): it takes boxes for ten times as full as they are, and would rather read all parcels.
-- $1 boxes in 1e-7 degrees text[], $2 property ids bigint[]
select near.property_id, p.boundary
from (
  select distinct f.fips, f.property_id
  from unnest($1::text[]) place
  join parcel_filters f on f.extent && place::box
  where f.property_id <> all ($2::bigint[])
) near
cross join lateral (
  select boundary
  from parcels
  where fips = near.fips and property_id = near.property_id
  offset 0
) p
order by near.property_id
