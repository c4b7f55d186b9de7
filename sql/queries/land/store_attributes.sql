-- Stores the computed attributes of some of a county's parcels, all from the same kinds of layers, and
-- updates the rows of parcel_filters whose values differ. Literals: {{fips}}, {{parcels}} (JSON objects with
-- the columns); {{columns}} (those that layers fill); {{set}} (assigns each column its computed value, or for
-- kinds that were not computed, the stored value if the shape is the same);
-- {{access}} and {{waterfront}} (of `stored s`, combined with the roll in `parcels p`)
with stored as (
  insert into parcel_attributes as a (fips, property_id, shape_hash, {{columns}})
  select {{fips}}, property_id, shape_hash, {{columns}}
  from json_populate_recordset(null::parcel_attributes, {{parcels}}::json)
  on conflict (fips, property_id) do update
  set computed_at = excluded.computed_at, shape_hash = excluded.shape_hash, {{set}}
  returning a.property_id, a.access, a.landlocked, a.wetlands_percent, a.flood_zone_percent,
    a.highway_frontage_ft, a.road_frontage_ft, a.local_frontage_ft, a.steeper_percent, a.waterfront_ft,
    a.buildable_acres, a.buildable_percent, a.buildable_patch_acres
),
reached as (
  select s.property_id, s.landlocked, s.wetlands_percent, s.flood_zone_percent, s.highway_frontage_ft,
    s.road_frontage_ft, s.local_frontage_ft, s.steeper_percent, s.waterfront_ft,
    s.buildable_acres, s.buildable_percent, s.buildable_patch_acres, {{access}} as access,
    {{waterfront}} as waterfront
  from stored s
  join parcels p on p.fips = {{fips}} and p.property_id = s.property_id
)
update parcel_filters f
set (
    access, landlocked, wetlands_percent, flood_zone_percent, highway_frontage_ft, road_frontage_ft,
    local_frontage_ft, steeper_percent, waterfront, waterfront_ft, buildable_acres, buildable_percent,
    buildable_patch_acres
  ) = (
    s.access, coalesce(s.access = 'none', s.landlocked), s.wetlands_percent, s.flood_zone_percent,
    s.highway_frontage_ft, s.road_frontage_ft, s.local_frontage_ft, s.steeper_percent, s.waterfront,
    s.waterfront_ft, s.buildable_acres, s.buildable_percent, s.buildable_patch_acres
  )
from reached s
where f.fips = {{fips}}
  and f.property_id = s.property_id
  and (
    f.access, f.landlocked, f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft,
    f.local_frontage_ft, f.steeper_percent, f.waterfront, f.waterfront_ft, f.buildable_acres, f.buildable_percent,
    f.buildable_patch_acres
  ) is distinct from (
    s.access, coalesce(s.access = 'none', s.landlocked), s.wetlands_percent, s.flood_zone_percent,
    s.highway_frontage_ft, s.road_frontage_ft, s.local_frontage_ft, s.steeper_percent, s.waterfront,
    s.waterfront_ft, s.buildable_acres, s.buildable_percent, s.buildable_patch_acres
  )
returning f.property_id
