-- Private roads give access: whether a parcel is landlocked is computed anew wherever it is known.
update land_layers
set reach_m = reach_m || '{"private": 25}'
where kind = 'roads' and reach_m is not null and not reach_m ? 'private';

insert into attributes_dirty as d (fips, property_id, layers)
select fips, property_id, 2
from parcel_attributes
where roads_runs is not null
on conflict (fips, property_id) do update
set layers = d.layers | excluded.layers, mark = excluded.mark, chunk = null;
