-- The counties of some of whose parcels the land layers tell. One look at the index a county: `exists` would read all of it.
-- $1 county FIPS int, or null: all
select c.fips
from county_serials c
where ($1::int is null or c.fips = $1) and (select true from parcel_attributes a where a.fips = c.fips limit 1)
order by c.fips
