-- The parcels of a county (plat.valuation_fips) that can be valued: with acreage and a point, in integers of 1e-7 degree, and
-- what is known of their land.
copy (
  select
    f.property_id, f.location[0], f.location[1], f.effective_acres,
    f.steeper_percent[6]::float8, (f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft)::float8,
    f.flood_zone_percent::float8, f.wetlands_percent::float8
  from parcel_filters f
  where f.fips = current_setting('plat.valuation_fips')::int and f.location is not null and f.effective_acres > 0
) to stdout (format binary);
