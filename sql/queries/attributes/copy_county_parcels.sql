-- The parcels of a county that are on the roll, and where they lie in 1e-7 degrees; null without geometry.
copy (
  select property_id, location[0], location[1]
  from parcel_filters
  where fips = current_setting('plat.attributes_fips')::int
) to stdout (format binary)
