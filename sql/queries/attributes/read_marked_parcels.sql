-- The parcels of a chunk that are on the roll and still wait for it, with what has to be known of each. Looked up one by
-- one (offset 0 keeps the planner from joining them otherwise): it would rather read all parcels of the state.
-- $1 fips int, $2 chunk bigint
-- Returns: west, south, east, north, x, y in 1e-7 degrees (null without geometry); kept: the shape that the stored
-- attributes are of, looked up only where some of them stay
select
  d.property_id, d.layers, d.mark, p.boundary, p.shape_hash,
  case
    when d.layers < 15 then (
      select a.shape_hash
      from parcel_attributes a
      where a.fips = d.fips and a.property_id = d.property_id
    )
  end as kept,
  (p.extent[1])[0] as west, (p.extent[1])[1] as south, (p.extent[0])[0] as east, (p.extent[0])[1] as north,
  p.location[0] as x, p.location[1] as y
from attributes_dirty d
cross join lateral (
  select boundary, shape_hash, extent, location
  from parcels
  where fips = d.fips and property_id = d.property_id and retired_at is null
  offset 0
) p
where d.fips = $1 and d.chunk = $2
