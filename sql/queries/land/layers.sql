-- name: count_outside
-- Counts the run's features that are outside all of the boxes. Boxes are in degrees.
select count(*)::int as outside
from stage_layer s
where not exists (
  select 1
  from unnest(:west::float8[], :south::float8[], :east::float8[], :north::float8[]) as b (west, south, east, north)
  where box(point(b.west * 1e7, b.south * 1e7), point(b.east * 1e7, b.north * 1e7)) && s.extent
)

-- name: create_layer_stage
-- Creates the staging table for a layer's usable features in the run's schema. The table is unlogged and is
-- filled once by COPY.
create unlogged table stage_layer (
  row_no bigint not null,
  hash uuid not null,
  class text not null,
  name text,
  words text,
  overlays jsonb,
  extent box not null,
  geometry bytea not null
);

-- name: create_tile_stage
-- Creates the staging table for an elevation layer's files in the run's schema, with the columns of
-- elevation_tiles.
create unlogged table stage_tile as
select *
from elevation_tiles
with no data

-- name: delete_features
-- Deletes all features of a layer.
delete from layer_features
where feed_id = :feed_id

-- name: delete_gone_features
-- Deletes the features that the feed no longer has.
delete from layer_features f
where f.feed_id = :feed_id and not exists (select 1 from stage_layer s where s.hash = f.hash)

-- name: delete_layer
-- Removes a layer from the current layers.
delete from land_layers
where feed_id = :feed_id

-- name: delete_tiles
-- Deletes the rows of an elevation layer's files, but not the files themselves.
delete from elevation_tiles
where feed_id = :feed_id

-- name: get_layer
-- Returns a layer's current version, with its coverage in degrees.
select
  (coverage[1])[0] / 1e7 as west,
  (coverage[1])[1] / 1e7 as south,
  (coverage[0])[0] / 1e7 as east,
  (coverage[0])[1] / 1e7 as north,
  fips,
  reach_m,
  overlays
from land_layers
where feed_id = :feed_id

-- name: insert_features
-- Inserts the feed's new features.
insert into layer_features (feed_id, hash, class, name, words, overlays, extent, geometry)
select :feed_id, s.hash, s.class, s.name, s.words, s.overlays, s.extent, s.geometry
from stage_layer s
where not exists (select 1 from layer_features f where f.feed_id = :feed_id and f.hash = s.hash)
order by s.row_no

-- name: insert_tiles
-- Inserts the files from an elevation layer's run.
insert into elevation_tiles
select *
from stage_tile

-- name: list_changed_extents
-- The extents of the features that a run adds and of those that it removes.
select (extent[1])[0] as west, (extent[1])[1] as south, (extent[0])[0] as east, (extent[0])[1] as north
from (
  select s.extent
  from stage_layer s
  where not exists (select 1 from layer_features f where f.feed_id = :feed_id and f.hash = s.hash)
  union all
  select f.extent
  from layer_features f
  where f.feed_id = :feed_id and not exists (select 1 from stage_layer s where s.hash = f.hash)
) changed

-- name: list_overlays
-- The overlays that each feed fills, as it declares them, with what it covers. The newest version is last.
select
  f.name as feed, l.feed_id, l.run_id, l.merged_at, l.fips, l.overlays,
  (l.coverage[1])[0] as west, (l.coverage[1])[1] as south, (l.coverage[0])[0] as east, (l.coverage[0])[1] as north
from land_layers l
join feeds f on f.id = l.feed_id
where l.overlays is not null
order by l.run_id

-- name: list_reaches
-- The reach of each road layer, in meters.
select reach_m
from land_layers
where reach_m is not null

-- name: lock_layers
-- Allows one merge of a layer at a time, and none of parcels, until the transaction ends, because a layer's
-- marks depend on the other layers' reach. Take this lock before writing anything.
lock table land_layers in share row exclusive mode

-- name: mark_covered_parcels
-- Marks the parcels that a layer covers or covered. Literals: boxes, counties, layers (the bit for its kind)
with covered as (
  select f.fips, f.property_id
  from unnest({{boxes}}::text[]) as c (coverage)
  join parcel_filters f on f.extent && c.coverage::box
  union
  select f.fips, f.property_id
  from parcel_filters f
  where f.fips = any ({{counties}}::int[]) and f.extent is not null
)
insert into attributes_dirty (fips, property_id, layers)
select fips, property_id, {{layers}}
from covered
-- Sorted, so that merges that mark the same parcels at the same time wait for each other but never deadlock.
order by fips, property_id
on conflict (fips, property_id) do update
set
  layers = attributes_dirty.layers | excluded.layers,
  mark = excluded.mark,
  chunk = null

-- name: list_staged_classes
-- The number of staged features in each class of each overlay.
select e.key as overlay, e.value #>> '{}' as class, count(*)::int as features
from stage_layer s
cross join lateral jsonb_each(s.overlays) e
where jsonb_typeof(e.value) = 'string'
group by e.key, e.value
order by e.key, features desc, class

-- name: measure_layer
-- The figures that the gate compares and the run reports.
select
  count(s.hash)::int as rows,
  count(*) filter (where f.hash is null)::int as new,
  count(*) filter (where s.hash is null)::int as retired
from stage_layer s
full join (select hash from layer_features where feed_id = :feed_id) f on f.hash = s.hash

-- name: measure_sources
-- The figures that the gate compares and the run reports. Extents are compared as text, because row
-- comparison treats boxes of the same size as equal. {{staged}} and {{stored}}: the tables of the layer's
-- sources
select
  count(s.source)::int as rows,
  count(*) filter (where t.source is null)::int as new,
  count(*) filter (where s::text <> t::text)::int as changed,
  count(*) filter (where s.source is null)::int as retired
from {{staged}} s
full join (select * from {{stored}} where feed_id = :feed_id) t on t.source = s.source

-- name: stage_tiles
-- `tiles`: a list of objects with the columns of elevation_tiles except feed_id.
insert into stage_tile
select
  :feed_id, t.source, t.fingerprint, t.extent::box, t.width, t.height, t.origin_x, t.origin_y, t.step_x, t.step_y, t.crs,
  t.unit_m, t.nodata
from json_to_recordset(:tiles::json) as t (
  source text, fingerprint text, extent text, width int, height int, origin_x float8, origin_y float8, step_x float8,
  step_y float8, crs text, unit_m float8, nodata float8
)

-- name: upsert_layer
-- Makes a run the current version of its layer.
insert into land_layers (feed_id, kind, run_id, coverage, fips, reach_m, overlays)
values (:feed_id, :kind, :run_id, :coverage, :fips, :reach, :overlays)
on conflict (feed_id) do update
set (kind, run_id, coverage, fips, reach_m, overlays, merged_at) = (
    excluded.kind, excluded.run_id, excluded.coverage, excluded.fips, excluded.reach_m, excluded.overlays,
    excluded.merged_at
  )
