-- Reads all that is known of a parcel, on the roll or retired; of a retired one filters and land layers know nothing.
-- Fragments: summary, the columns of a summary; roll, the columns that a roll fills. $1 fips int, $2 property id bigint
select {{summary}}, {{roll}}, p.boundary, p.retired_at,
  f.improvement_percent, f.out_of_state_owner, f.out_of_county_owner, f.out_of_zip_owner, f.corporate_owner,
  f.hoa_owner, coalesce(f.owner_occupied, p.owner_occupied) as owner_occupied, f.landlocked, f.wetlands_percent,
  f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft, f.local_frontage_ft, f.steeper_percent,
  a.min_elevation_m, a.mean_elevation_m, a.max_elevation_m, a.mean_slope_percent
from parcels p
left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
left join parcel_attributes a
  on a.fips = f.fips and a.property_id = f.property_id and a.shape_hash = p.shape_hash
where p.fips = $1::int and p.property_id = $2::bigint
