-- Takes back the marks of a chunk's parcels that have no geometry any more, and what was known of their ground.
-- $1 fips int, $2 chunk bigint, $3 property ids bigint[], $4 their marks bigint[]
-- Returns: property_id of each
with done as (
  delete from attributes_dirty d
  using unnest($3::bigint[], $4::bigint[]) as s (property_id, mark)
  where d.fips = $1 and d.property_id = s.property_id and d.chunk = $2 and d.mark = s.mark
  returning d.property_id
),
forgotten as (
  delete from parcel_attributes a
  using done
  where a.fips = $1 and a.property_id = done.property_id
)
select property_id
from done
