-- Brings what filters read of parcels' ground to what is stored of it; rows that say it already are not written.
-- $1 fips int, $2 property ids bigint[]
-- Returns: nothing; the row count tells how many changed
update parcel_filters f
set
  landlocked = a.landlocked,
  wetlands_percent = a.wetlands_percent,
  flood_zone_percent = a.flood_zone_percent,
  highway_frontage_ft = a.highway_frontage_ft,
  road_frontage_ft = a.road_frontage_ft,
  local_frontage_ft = a.local_frontage_ft,
  steeper_percent = a.steeper_percent
from unnest($2::bigint[]) as w (property_id)
left join parcel_attributes a on a.fips = $1 and a.property_id = w.property_id
where f.fips = $1
  and f.property_id = w.property_id
  and (
    f.landlocked, f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft,
    f.local_frontage_ft, f.steeper_percent
  ) is distinct from (
    a.landlocked, a.wetlands_percent, a.flood_zone_percent, a.highway_frontage_ft, a.road_frontage_ft,
    a.local_frontage_ft, a.steeper_percent
  )
