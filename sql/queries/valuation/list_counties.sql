-- The counties that have parcels, or had.
select fips from county_serials order by fips
