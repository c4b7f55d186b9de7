-- The parcels of a chunk that are on the roll and still wait for it, with what has to be known of each.
-- $1 fips int, $2 chunk bigint
-- Returns: west, south, east, north, x, y in 1e-7 degrees (null without geometry); kept: the shape that the stored
-- attributes are of
select
  d.property_id, d.layers, d.mark, p.boundary, p.shape_hash, a.shape_hash as kept,
  (p.extent[1])[0] as west, (p.extent[1])[1] as south, (p.extent[0])[0] as east, (p.extent[0])[1] as north,
  p.location[0] as x, p.location[1] as y
from attributes_dirty d
join parcels p on p.fips = d.fips and p.property_id = d.property_id and p.retired_at is null
left join parcel_attributes a on a.fips = d.fips and a.property_id = d.property_id
where d.fips = $1 and d.chunk = $2
