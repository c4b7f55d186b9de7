-- The owner of a parcel on the roll. $1 property id bigint
select f.owner_key
from parcel_filters f
where f.fips = ($1::bigint / 100000000)::int and f.property_id = $1::bigint;
