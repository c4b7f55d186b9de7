-- name: announce_writing
-- Takes the table lock that is needed to write marks, before any row is locked. Otherwise a plan that locks
-- the table in between (lock_marks) could cause a deadlock.
lock table attributes_dirty in row exclusive mode

-- name: assign_chunk
-- Puts parcels into a chunk, except those that another plan has assigned in the meantime.
update attributes_dirty
set chunk = :chunk
where fips = :fips and property_id = any (:property_ids) and chunk is null

-- name: clear_marks
-- Clears the marks of a county's parcels, whose rows the caller has locked.
delete from attributes_dirty
where fips = :fips and property_id = any (:property_ids)

-- name: copy_county_parcels
-- A county's parcels on the roll with their locations in 1e-7 degrees, in an order that gives the same chunks
-- each time. {{fips}}: a literal, because COPY takes no parameters
copy (
  select property_id, location[0], location[1]
  from parcel_filters
  where fips = {{fips}}
  order by property_id
) to stdout (format binary)

-- name: copy_unplanned_parcels
-- A county's parcels that are waiting for a plan, ordered as in copy_county_parcels, with their locations in
-- 1e-7 degrees. {{fips}}: a literal, because COPY takes no parameters
copy (
  select d.property_id, f.location[0], f.location[1]
  from attributes_dirty d
  join parcel_filters f on f.fips = d.fips and f.property_id = d.property_id
  where d.fips = {{fips}} and d.chunk is null
  order by property_id
) to stdout (format binary)

-- name: delete_overlays
-- Deletes the figures of a county's parcels in overlays.
delete from parcel_overlays
where fips = :fips and property_id = any (:property_ids)

-- name: drop_stray_marks
-- Deletes the marks of a county's parcels that have left the roll.
delete from attributes_dirty d
where d.fips = :fips
  and not exists (select 1 from parcel_filters f where f.fips = d.fips and f.property_id = d.property_id)

-- name: forget_attributes
-- Clears the attributes of parcels that no longer have geometry.
with forgotten as (
  delete from parcel_attributes
  where fips = :fips and property_id = any (:property_ids)
),
overlaid as (
  delete from parcel_overlays
  where fips = :fips and property_id = any (:property_ids)
)
update parcel_filters
set
  access = null,
  landlocked = null,
  waterfront = null,
  waterfront_ft = null,
  wetlands_percent = null,
  flood_zone_percent = null,
  highway_frontage_ft = null,
  road_frontage_ft = null,
  local_frontage_ft = null,
  steeper_percent = null,
  buildable_acres = null,
  buildable_percent = null,
  buildable_patch_acres = null
where fips = :fips and property_id = any (:property_ids)
returning property_id

-- name: get_dirty_state
-- Whether parcels are waiting for attributes, and whether a job that plans or computes them is open.
select
  (select count(*)::int from attributes_dirty) as waiting,
  exists (
    select 1 from jobs where name in ('attributes.plan', 'attributes.chunk') and status in ('queued', 'running')
  ) as open

-- name: has_layers
-- Whether there is any land layer to compute from.
select exists (select 1 from land_layers) as present

-- name: hold_layers
-- Blocks merges of layers until the transaction ends, so that merges of parcels and of layers don't miss each
-- other's rows: the later one sees and marks what the earlier one committed.
lock table land_layers in share mode

-- name: is_last_chunk
-- Whether no other chunk of a county is open, and whether valuations are waiting for its land figures. Uses
-- min(property_id) instead of `exists`, so that the index is used.
select
  (select min(property_id) from attributes_dirty where fips = :fips and chunk <> :chunk) is null as last,
  exists (select true from valuations_dirty where fips = :fips) as awaited

-- name: list_counties
-- The counties that have parcels on the roll.
select distinct fips
from parcel_filters
order by fips

-- name: list_landlocked_counties
-- Counties where more parcels than are plausible have no mapped road. {{county}}: which counties.
select p.fips, r.name, r.state, p.known, p.unserved
from (
  select
    fips, count(landlocked)::int as known, count(*) filter (where landlocked or access = 'unmapped')::int as unserved
  from parcel_filters
  where {{county}}
  group by fips
) p
left join regions r on r.type = 'county' and r.fips = p.fips
where p.known >= :least_known::int and 100.0 * p.unserved > :percent::int * p.known
order by p.fips

-- name: list_layers
-- The current layers, one row per feed.
select
  feed_id, kind, run_id, fips, reach_m, overlays,
  (coverage[1])[0] as west, (coverage[1])[1] as south, (coverage[0])[0] as east, (coverage[0])[1] as north
from land_layers
order by run_id

-- name: list_unplanned_counties
-- The counties with marks that are waiting for a plan. These marks have no chunk, or a chunk whose job has
-- ended or never existed.
select distinct d.fips
from attributes_dirty d
where d.chunk is null
  or d.chunk not in (
    select (j.payload ->> 'chunk')::bigint
    from jobs j
    where j.name = 'attributes.chunk' and j.status in ('queued', 'running')
  )
order by d.fips

-- name: lock_counties
-- Prevents chunks of these counties from writing until the transaction ends. A merge takes this lock first,
-- so that the rows it rewrites carry over everything that chunks have written. With a different `lock`, it
-- blocks the runs of the counties' other feeds instead.
select pg_advisory_xact_lock(:lock::int, fips)
from (select fips from unnest(:counties::int[]) fips order by fips) counties

-- name: lock_marked_parcels
-- Locks marks in the same order as all other writers, to prevent deadlocks.
select property_id, mark
from attributes_dirty
where fips = :fips and chunk = :chunk
order by property_id
for update

-- name: lock_marks
-- Blocks every other plan, merge, and chunk from writing marks until the transaction ends. Take it before any
-- other lock, because a plan writes marks in the order of a Hilbert curve, not by id, and could otherwise
-- deadlock.
lock table attributes_dirty in share row exclusive mode

-- name: insert_overlays
-- Stores the figures of a county's parcels in overlays. Literals: {{fips}}, {{overlays}} (JSON objects with
-- the other columns)
insert into parcel_overlays (
  fips, overlay, property_id, percent, classes, percents, nearest_ft, nearest_name, numbers
)
select {{fips}}, overlay, property_id, percent, classes, percents, nearest_ft, nearest_name, numbers
from json_populate_recordset(null::parcel_overlays, {{overlays}}::json)

-- name: mark_chunk
-- Marks parcels of a county and puts them into a chunk. Literals: fips, ids (of parcels), chunk, layers
insert into attributes_dirty as d (fips, property_id, layers, chunk)
select {{fips}}, property_id, {{layers}}, {{chunk}}
from unnest({{ids}}::bigint[]) as property_id
on conflict (fips, property_id) do update
set layers = d.layers | excluded.layers, mark = excluded.mark, chunk = excluded.chunk

-- name: mark_new_parcels
-- Marks the parcels that a merge has just added.
insert into attributes_dirty (fips, property_id, layers)
select fips, property_id, 63
from stage_write
where state = 'new'

-- name: narrow_marks
-- Reduces locked marks to the kinds of layers that could not be computed.
update attributes_dirty
set layers = :layers
where fips = :fips and property_id = any (:property_ids)

-- name: number_chunks
-- Returns numbers for new chunks, in ascending order.
select nextval('attributes_chunks') as chunk
from generate_series(1, :count)

-- name: read_extents
-- The extents of the given layers' features and files that are within the given boxes.
select
  feed_id, (extent[1])[0] as west, (extent[1])[1] as south, (extent[0])[0] as east, (extent[0])[1] as north
from (
  select l.feed_id, l.extent
  from unnest(:boxes::text[]) place
  join layer_features l on l.extent && place::box
  where l.feed_id = any (:feed_ids)
  union all
  select t.feed_id, t.extent
  from unnest(:boxes::text[]) place
  join elevation_tiles t on t.extent && place::box
  where t.feed_id = any (:feed_ids)
) shown

-- name: read_features
-- The given layers' features that are within the given boxes.
select feed_id, class, name, overlays, geometry
from layer_features
where id in (
  select l.id
  from unnest(:boxes::text[]) place
  join layer_features l on l.extent && place::box
  where l.feed_id = any (:feed_ids)
)
order by id

-- name: read_marked_parcels
-- The parcels of a chunk that are on the roll and still marked, ordered by id. They are looked up one by one:
-- offset 0 keeps the planner from reading all of the state's parcels.
select
  d.property_id, d.layers, d.mark, p.boundary, p.shape_hash,
  case
    when d.layers < 63 then (
      select a.shape_hash
      from parcel_attributes a
      where a.fips = :fips and a.property_id = d.property_id
    )
  end as kept,
  (p.extent[1])[0] as west, (p.extent[1])[1] as south, (p.extent[0])[0] as east, (p.extent[0])[1] as north,
  p.location[0] as x, p.location[1] as y
from attributes_dirty d
cross join lateral (
  select boundary, shape_hash, extent, location
  from parcels
  where fips = :fips and property_id = d.property_id and retired_at is null
  offset 0
) p
where d.fips = :fips and d.chunk = :chunk
order by d.property_id

-- name: read_neighbours
-- The parcels on any roll within the given boxes, except those in the chunk. They are looked up one by one
-- (offset 0, as in read_marked_parcels).
select near.property_id, p.boundary
from (
  select distinct f.fips, f.property_id
  from unnest(:boxes::text[]) place
  join parcel_filters f on f.extent && place::box
  where f.fips = any (:counties::int[]) and f.property_id <> all (:property_ids::bigint[])
) near
cross join lateral (
  select boundary
  from parcels
  where fips = any (:counties::int[]) and fips = near.fips and property_id = near.property_id and boundary is not null
  offset 0
) p
order by near.property_id

-- name: list_elevation
-- The elevation files that intersect the given boxes.
select
  source, fingerprint, width, height, origin_x as "originX", origin_y as "originY", step_x as "stepX",
  step_y as "stepY", crs, unit_m as "unitM", nodata
from elevation_tiles t
where feed_id in (select feed_id from land_layers where kind = 'elevation')
  and exists (select 1 from unnest(:boxes::text[]) place where t.extent && place::box)
order by feed_id, source

-- name: release_lost_chunks
-- Releases a county's marks from chunks whose job has ended or never existed.
update attributes_dirty d
set chunk = null
where d.fips = :fips
  and d.chunk not in (
    select (j.payload ->> 'chunk')::bigint
    from jobs j
    where j.name = 'attributes.chunk' and j.status in ('queued', 'running')
  )

-- name: watch_chunks
-- The progress of a plan's chunks. `enqueued_before`: a time before any of their jobs was enqueued.
select
  (select count(*)::int from attributes_dirty where chunk between :first_chunk and :last_chunk) as waiting,
  count(*) filter (where status in ('queued', 'running'))::int as open,
  count(*) filter (where status = 'failed')::int as failed,
  min(error) filter (where status = 'failed') as error
from jobs
where name = 'attributes.chunk' and queued_at >= :enqueued_before and (payload ->> 'chunk')::bigint between :first_chunk and :last_chunk

-- name: list_parcel_overlays
-- A parcel's figures in the overlays that cover it.
select overlay, percent, classes, percents, nearest_ft, nearest_name, numbers
from parcel_overlays
where fips = :fips::int and property_id = :property_id::bigint;
