-- The counties that have parcels on the roll.
select distinct fips
from parcel_filters
order by fips
