-- Marks the parcels that a layer covers, or covered before, to be computed anew.
-- $1 boxes text[], $2 counties int[], $3 bit of the layer's kind int
with covered as (
  select f.fips, f.property_id
  from unnest($1::text[]) as c (coverage)
  join parcel_filters f on f.extent && c.coverage::box
  union
  select f.fips, f.property_id
  from parcel_filters f
  where f.fips = any ($2::int[]) and f.extent is not null
)
insert into attributes_dirty (fips, property_id, layers)
select fips, property_id, $3
from covered
-- In one order: merges that mark the same parcels at the same time then wait for one another.
order by fips, property_id
on conflict (fips, property_id) do update
set
  layers = attributes_dirty.layers | excluded.layers,
  mark = nextval('attributes_marks'),
  chunk = null
