-- The listings that count in statistics, of the counties and ZIPs that set_scope named.
copy (
  select *
  from counted_listings
  where fips = any (string_to_array(current_setting('plat.market_counties'), ',')::int[])
    or zip = any (string_to_array(current_setting('plat.market_zips'), ','))
) to stdout (format binary);
