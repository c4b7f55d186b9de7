-- Marks parcels of a county and puts them into a chunk at once.
-- $1 fips int, $2 property ids bigint[], $3 chunk bigint, $4 layers smallint
insert into attributes_dirty as d (fips, property_id, layers, chunk)
select $1, property_id, $4, $3
from unnest($2::bigint[]) as property_id
on conflict (fips, property_id) do update
set layers = d.layers | excluded.layers, mark = nextval('attributes_marks'), chunk = excluded.chunk
