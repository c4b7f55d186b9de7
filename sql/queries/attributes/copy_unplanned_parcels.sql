-- The parcels of a county that wait for a plan, and where they lie in 1e-7 degrees; null without geometry.
copy (
  select d.property_id, f.location[0], f.location[1]
  from attributes_dirty d
  join parcel_filters f on f.fips = d.fips and f.property_id = d.property_id
  where d.fips = current_setting('plat.attributes_fips')::int and d.chunk is null
) to stdout (format binary)
