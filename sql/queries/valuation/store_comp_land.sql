-- Stores what is known of the land of comps whose parcels were found by their points. Rows of the arrays belong together.
-- $1 county FIPS int, $2 ids of comps uuid[], $3 of their parcels bigint[]
insert into comp_land (
  listing_id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent
)
select
  c.id, f.fips, f.property_id, f.steeper_percent[6],
  f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft, f.flood_zone_percent, f.wetlands_percent
from unnest($2::uuid[], $3::bigint[]) as c (id, property_id)
join parcel_filters f on f.fips = $1 and f.property_id = c.property_id
