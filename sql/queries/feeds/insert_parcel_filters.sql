-- Writes the filter columns of new, changed, and returned parcels. Fragments: copied and staged_copies (the
-- declared columns that parcel_filters repeats), and access and waterfront (of `stage_land a`, combined with
-- the roll in `stage_roll r`)
insert into parcel_filters (
  fips, property_id, location, extent, effective_acres, situs_zip, improvement_percent, owner_key, owner_occupied,
  out_of_state_owner, out_of_county_owner, out_of_zip_owner, corporate_owner, hoa_owner, access,
  landlocked, wetlands_percent, flood_zone_percent, highway_frontage_ft, road_frontage_ft, local_frontage_ft,
  steeper_percent, waterfront, waterfront_ft, buildable_acres, buildable_percent, buildable_patch_acres, row_version, {{copied}}
)
select
  w.fips, w.property_id, s.location, s.extent,
  -- Rounded like the acreage that Plat shows, so that a search for 0.99 acres finds a parcel of 0.994 acres,
  -- shown as 0.99.
  coalesce(r.acres, floor(s.calculated_acres * 100 + 0.5) / 100), r.situs_zip::int,
  case
    when r.market_total_value > 0 and r.market_improvement_value is not null
      then 100.0 * r.market_improvement_value / r.market_total_value
    when r.assessed_total_value > 0 then 100.0 * r.assessed_improvement_value / r.assessed_total_value
  end,
  r.owner_key, r.lives_there, r.out_of_state_owner, r.out_of_county_owner, r.out_of_zip_owner, r.corporate_owner,
  r.hoa_owner, {{access}}, coalesce({{access}} = 'none', a.landlocked), a.wetlands_percent, a.flood_zone_percent,
  a.highway_frontage_ft, a.road_frontage_ft, a.local_frontage_ft, a.steeper_percent, {{waterfront}},
  a.waterfront_ft, a.buildable_acres, a.buildable_percent, a.buildable_patch_acres, w.row_version,
  {{staged_copies}}
from stage_write w
left join stage_roll r on r.ctid = w.roll_at
left join stage_shape s on s.ctid = w.shape_at
left join stage_land a on a.fips = w.fips and a.property_id = w.property_id and a.shape_hash = s.hash
