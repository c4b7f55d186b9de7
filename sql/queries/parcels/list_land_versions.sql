-- The versions of the layers that a parcel's stored land attributes were computed from.
-- $1 property id bigint
-- Returns: merged_at, when the version became the one that readers see; current, the version that they see now (null when
-- the layer is gone)
select u.kind, f.name as feed, u.run_id, r.finished_at as merged_at, l.run_id as current
from parcel_attributes a
cross join lateral (
  select 'elevation' as kind, unnest(a.elevation_runs) as run_id
  union all
  select 'roads', unnest(a.roads_runs)
  union all
  select 'wetlands', unnest(a.wetlands_runs)
  union all
  select 'flood', unnest(a.flood_runs)
) u
join runs r on r.id = u.run_id
join feeds f on f.id = r.feed_id
left join land_layers l on l.feed_id = r.feed_id and l.kind = u.kind
where a.fips = ($1::bigint / 100000000)::int and a.property_id = $1::bigint
order by array_position(array['elevation', 'roads', 'wetlands', 'flood'], u.kind), f.name
