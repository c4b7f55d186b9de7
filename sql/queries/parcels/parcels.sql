-- name: collect_hits
-- The ids of the parcels that a filter finds, ascending, 8 bytes each. `from`, `where`: the filter's tables
-- and predicates. Parameters: `limit`, and those of the predicates.
select coalesce(string_agg(int8send(f.property_id), ''::bytea order by f.property_id), ''::bytea) as ids
from (
  select f.property_id
  from {{from}}
  where {{where}}
  limit :limit::bigint
) f;

-- name: count_by_county
-- How many parcels a filter finds, by county. `from`, `where`: the filter's tables and predicates.
select f.fips, count(*) as count
from {{from}}
where {{where}}
group by f.fips
order by f.fips;

-- name: count_hits
-- Counts the parcels that a filter finds and, if there are few, returns a page of them, in one pass. `from`,
-- `where`: the filter's tables and predicates. `ids`, `acres`: an array_agg for each, or null if there can't
-- be few hits, or if acres are not needed. `order`: the sort order. Parameters: `most` (the largest number of
-- hits that counts as few), `offset` and `limit` of the page, and those of the predicates.
with found as materialized (
  select count(*) as count, {{ids}} as ids, {{acres}} as acres
  from {{from}}
  where {{where}}
)
select found.count, page.property_id, page.effective_acres as figure
from found
left join lateral (
  select f.property_id, f.effective_acres
  from unnest(found.ids, found.acres) as f (property_id, effective_acres)
  where found.count <= :most::bigint
  order by {{order}}
  offset :offset::bigint limit :limit::bigint
) page on true;

-- name: is_known
-- Whether any parcel in a county has a value for a predicate. `from`, `where`: the tables and the predicate.
-- Parameters: `fips`, and those of the predicate.
select exists (select from {{from}} where f.fips = :fips::int and ({{where}}) is not null) as known;

-- name: list_edge_candidates
-- The parcels to test one by one, because their extent intersects a box along a shape's outline and no inner
-- box contains their location. The boxes and the matches are separate `with` queries, because PostgreSQL
-- would otherwise read everything in order up to the limit. `from`, `where`: parcel_filters f, and the
-- filter's other predicates. Parameters: `edge` and `inner` boxes in 1e-7 degrees, `limit`, and those of the
-- predicates.
with edges as materialized (select box from unnest(:edge::box[]) as e (box)),
near as materialized (
  select f.property_id, f.effective_acres
  from edges
  join {{from}} on f.extent && edges.box
  where {{where}}
    and (f.location <@ any (:inner::box[])) is not true
)
select property_id, effective_acres
from near
limit :limit;

-- name: list_boundaries
-- The boundaries of parcels.
select p.property_id, p.boundary
from parcels p
where p.fips = any (:counties::int[]) and p.property_id = any (:property_ids::bigint[]) and p.boundary is not null;

-- name: list_hits
-- A page of the parcels that a filter finds, with the figure that it is sorted by. `from`, `where`: the
-- filter's tables and predicates, and the start of the page. `figure`, `order`: the sort key and the sort
-- order. Parameters: `offset` and `limit`, and those of the predicates.
select f.property_id, {{figure}} as figure
from {{from}}
where {{where}}
order by {{order}}
offset :offset::bigint limit :limit::bigint;

-- name: list_land_versions
-- The versions of the layers that a parcel's stored land attributes were computed from.
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
  union all
  select 'water', unnest(a.water_runs)
  union all
  select 'overlay', unnest(a.overlay_runs)
) u
join runs r on r.id = u.run_id
join feeds f on f.id = r.feed_id
left join land_layers l on l.feed_id = r.feed_id and l.kind = u.kind
where a.fips = (:property_id::bigint / 100000000)::int and a.property_id = :property_id::bigint
order by array_position(array['elevation', 'roads', 'wetlands', 'flood', 'water', 'overlay'], u.kind), f.name

-- name: list_view_features
-- A layer's features in a view, largest first.
select l.class, l.name, l.geometry
from layer_features l
where l.extent && :box::box
  and l.feed_id in (select feed_id from land_layers where kind = :kind)
order by area(l.extent) desc, l.id
limit :limit

-- name: list_view_parcels
-- The parcels in the given counties whose extent intersects a view, largest first.
select p.property_id, p.apn, p.boundary
from (
  select f.fips, f.property_id, area(f.extent) as size
  from parcel_filters f
  where f.fips = any (:counties::int[]) and f.extent && :box::box
  order by size desc, f.property_id
  limit :limit
) near
join parcels p on p.fips = near.fips and p.property_id = near.property_id
where p.fips = any (:counties::int[]) and p.boundary is not null
order by near.size desc, p.property_id

-- name: read_apn_shapes
-- The most frequent format of the parcel numbers in each of the county's feeds, with digits as 0 and letters
-- as A. Returns no row if nothing is loaded.
select apn_shapes from county_coverage where fips = :fips;

-- name: read_known_parcel
-- The parcel data that an operator sees, whether the parcel is on the roll or retired. `roll`: the parcel's
-- fields.
select
  p.property_id, p.fips, c.county_name as county, c.state, {{roll}}, p.calculated_acres, d.name as feed, p.created_run,
  p.changed_run, p.retired_run, p.retired_at, p.boundary, p.shape_hash, p.location[0] as x, p.location[1] as y,
  (p.extent[1])[0] as west, (p.extent[1])[1] as south, (p.extent[0])[0] as east, (p.extent[0])[1] as north
from parcels p
join feeds d on d.id = p.feed_id
left join regions c on c.type = 'county' and c.code = lpad(p.fips::text, 5, '0')
where p.fips = (:property_id::bigint / 100000000)::int and p.property_id = :property_id::bigint

-- name: read_stored_land
-- The stored land figures of a parcel, whether they are for its current boundary, and the kinds that are
-- still waiting to be computed. `shown_access` and `waterfront` are combined with the roll.
select
  f.access as shown_access, f.waterfront, a.computed_at, a.shape_hash is not distinct from p.shape_hash as of_boundary, coalesce(w.layers, 0) as waiting,
  a.min_elevation_m, a.mean_elevation_m, a.max_elevation_m, a.mean_slope_percent, a.steeper_percent,
  a.highway_frontage_ft, a.road_frontage_ft, a.local_frontage_ft, a.access, a.landlocked,
  a.wetlands_percent, a.flood_zone_percent, a.waterfront_ft, a.water_name,
  a.buildable_acres, a.buildable_percent, a.buildable_patch_acres, a.unbuildable
from parcels p
left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
left join parcel_attributes a on a.fips = p.fips and a.property_id = p.property_id
left join attributes_dirty w on w.fips = p.fips and w.property_id = p.property_id
where p.fips = (:property_id::bigint / 100000000)::int and p.property_id = :property_id::bigint

-- name: read_summaries
-- Parcels for lists, by id, including those that have been retired since. `summary`: columns.
select {{summary}}
from parcels p
left join assemblages g on g.fips = p.fips and g.property_id = p.property_id
where p.fips = any (:counties::int[]) and p.property_id = any (:property_ids::bigint[]);
