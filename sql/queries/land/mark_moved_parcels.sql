-- Marks parcels whose land figures a merge is about to make outdated. For every layer, these are parcels
-- whose shape changes and parcels that return. For roads, these are also parcels within reach of a parcel
-- that is added, removed, or changed, because that parcel may block their way to a road. Literals: {{fips}}
-- (the counties that change), {{near}} (the counties within reach), {{reach}} (in meters, null if there are
-- no roads)
with moved as materialized (
  select m.fips, m.property_id, case when p.retired_at is null then p.extent end as old_extent, s.extent as new_extent
  from stage_match m
  left join parcels p on p.fips = any ({{fips}}::int[]) and p.fips = m.fips and p.property_id = m.property_id
  left join stage_shape s on s.fips = m.fips and s.key = m.key
  where m.state in ('new', 'returned') or (m.state = 'changed' and p.shape_hash is distinct from s.hash)
),
gone as materialized (
  select p.fips, p.property_id, p.extent
  from stage_match m
  join parcels p on p.fips = m.fips and p.property_id = m.property_id
  where m.state = 'retired' and p.fips = any ({{fips}}::int[])
),
places as (
  select old_extent as extent
  from moved
  union all
  select new_extent
  from moved
  union all
  select extent
  from gone
),
reach as (
  select {{reach}}::double precision as meters
),
-- 91 units of 1e-7 degrees are a little more than a meter of latitude, anywhere on Earth. For longitude, this
-- is divided by the cosine of the latitude.
around as (
  select box(
    point(
      (p.extent[0])[0] + 91 * r.meters / cosd(widest.lat), (p.extent[0])[1] + 91 * r.meters
    ),
    point(
      (p.extent[1])[0] - 91 * r.meters / cosd(widest.lat), (p.extent[1])[1] - 91 * r.meters
    )
  ) as extent
  from places p
  cross join reach r
  cross join lateral (
    select least(89, greatest(abs((p.extent[0])[1]), abs((p.extent[1])[1])) / 1e7) as lat
  ) widest
  where p.extent is not null and r.meters is not null
),
marks as (
  select fips, property_id, 63 as layers
  from moved
  where property_id is not null
  union all
  select f.fips, f.property_id, 2
  from around a
  join parcel_filters f on f.extent && a.extent
  where f.fips = any ({{near}}::int[]) and not exists (select 1 from gone g where g.fips = f.fips and g.property_id = f.property_id)
)
insert into attributes_dirty as d (fips, property_id, layers)
select fips, property_id, bit_or(layers)
from marks
group by fips, property_id
-- All writers of marks use the same order, so that no two of them can deadlock.
order by fips, property_id
on conflict (fips, property_id) do update
set layers = d.layers | excluded.layers, mark = excluded.mark, chunk = null
