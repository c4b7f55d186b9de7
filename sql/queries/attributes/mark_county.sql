-- Marks every parcel of a county that is on the roll.
-- $1 fips int, $2 layers smallint
insert into attributes_dirty as d (fips, property_id, layers)
select fips, property_id, $2
from parcel_filters
where fips = $1
order by property_id
on conflict (fips, property_id) do update
set layers = d.layers | excluded.layers, mark = nextval('attributes_marks'), chunk = null
