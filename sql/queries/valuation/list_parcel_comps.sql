-- The comps that are or may be of some parcels of a county.
-- $1 county FIPS int, $2 property ids bigint[]
-- Returns: id, lon, lat (integers of 1e-7 degree), acres
with ids as (
  select c.listing_id as id from comp_land c where c.fips = $1 and c.property_id = any ($2)
  union
  select l.id
  from parcel_filters f
  join listings l on l.location <@ f.extent and l.fips = $1 and l.status <> 'OFF_MARKET'
  where f.fips = $1 and f.property_id = any ($2)
)
select l.id, l.location[0] as lon, l.location[1] as lat, l.lot_acres as acres
from ids
join listings l using (id)
where l.status <> 'OFF_MARKET' and l.location is not null and l.lot_acres > 0
