-- Forgets what layers told of parcels that have no geometry any more.
-- $1 fips int, $2 property ids bigint[]
-- Returns: property_id
with forgotten as (
  delete from parcel_attributes
  where fips = $1 and property_id = any ($2)
)
update parcel_filters
set
  landlocked = null,
  wetlands_percent = null,
  flood_zone_percent = null,
  highway_frontage_ft = null,
  road_frontage_ft = null,
  local_frontage_ft = null,
  steeper_percent = null
where fips = $1 and property_id = any ($2)
returning property_id
