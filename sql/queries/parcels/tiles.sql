-- name: read_version
-- A number that changes with every merged run.
select coalesce(max(id), 0) as version from runs where status = 'merged';

-- name: count_parcels
-- Parcels on the roll by county, with the center of their locations.
select c.fips, c.parcels, r.name || ', ' || r.state as name, (c.west + c.east) / 2 as lon, (c.south + c.north) / 2 as lat
from county_coverage c
join regions r on r.type = 'county' and r.fips = c.fips
where c.fips = any (:fips::int[]) and c.parcels > 0;

-- name: list_parcels
-- Parcels in a tile with at least `least_area` square 1e-7 degrees, largest first if there are too many, and
-- the first `outlines` of them with their boundary. The box is a `with` query, because PostgreSQL would start
-- parallel workers if it were a parameter.
with tile as materialized (select :box::box as box)
select f.property_id, case when :with_apns::boolean then p.apn end as apn,
  case when row_number() over (order by area(f.extent) desc, f.property_id) <= :outlines then p.boundary end as boundary,
  case when :with_acres::boolean then p.acres end as acres, case when :with_acres then p.calculated_acres end as calculated_acres,
  f.location[0] as lon, f.location[1] as lat
from tile
join parcel_filters f on f.extent && tile.box
join parcels p on p.fips = f.fips and p.property_id = f.property_id
where f.fips = any (:fips::int[]) and p.fips = any (:fips::int[]) and area(f.extent) >= :least_area::float8
order by area(f.extent) desc, f.property_id
limit :limit;

-- name: list_dots
-- Locations of smaller parcels in a tile: one per square of a grid of `dots` x `dots` squares.
with tile as materialized (select :box::box as box)
select distinct on (square) f.location[0] as lon, f.location[1] as lat
from tile
join parcel_filters f on f.extent && tile.box and f.location <@ tile.box
cross join lateral (
  select width_bucket(f.location[1], (box[1])[1], (box[0])[1], :dots) * 1000 + width_bucket(f.location[0], (box[1])[0], (box[0])[0], :dots) as square
) s
where f.fips = any (:fips::int[]) and area(f.extent) < :least_area::float8
order by square, f.property_id;

-- name: list_features
-- Land features in a tile, largest first if there are too many. Excludes those too small to see, with an
-- extent of less than `least_area` square 1e-7 degrees.
with tile as materialized (select :box::box as box)
select l.class, l.name, l.geometry
from tile
join layer_features l on l.extent && tile.box
where l.feed_id in (select feed_id from land_layers where kind = :kind) and area(l.extent) >= :least_area::float8
order by area(l.extent) desc
limit :limit;

-- name: list_overlay_features
-- An overlay's features in a tile with their classes, largest first if there are too many. Excludes areas
-- too small to see, with an extent of less than `least_area` square 1e-7 degrees. Points and straight lines
-- can have an extent without area.
with tile as materialized (select :box::box as box)
select l.overlays ->> :name as class, l.geometry
from tile
join layer_features l on l.extent && tile.box
where l.feed_id in (select feed_id from land_layers where kind = 'overlay')
  and l.overlays ? :name
  and (area(l.extent) = 0 or area(l.extent) >= :least_area::float8)
order by area(l.extent) desc
limit :limit;

-- name: list_names
-- Names of places and of water in a tile, largest water first, with at least `least_area` square 1e-7
-- degrees.
with tile as materialized (select :box::box as box)
select l.name, l.class, k.kind = 'water' as "isWater", l.geometry
from tile
join layer_features l on l.extent && tile.box
join land_layers k on k.feed_id = l.feed_id
where k.kind in ('water', 'places') and l.name is not null and (k.kind = 'places' or area(l.extent) >= :least_area::float8)
order by area(l.extent) desc, l.id
limit :limit;

-- name: list_tile_hits
-- Hits of a filter in a tile. Of the hits with less than `least_area` square 1e-7 degrees, returns one per
-- square of a grid of `dots` x `dots` squares. Fragments: the filter's `table` (which reads `near`) and
-- `where`, `figure` (which colors the hits), and `join` (what the figure needs). `offset 0` keeps the planner
-- from also reading other indexes.
with tile as materialized (select :box::box as box),
near as (
  select f.* from tile join parcel_filters f on f.extent && tile.box where f.fips = any (:fips::int[]) offset 0
)
select distinct on (case when area(f.extent) < :least_area::float8 then -square else f.property_id end)
  f.property_id, f.location[0] as lon, f.location[1] as lat, ({{figure}})::float8 as figure
from tile
cross join {{table}}
cross join lateral (
  select width_bucket(f.location[1], (box[1])[1], (box[0])[1], :dots) * 1000 + width_bucket(f.location[0], (box[1])[0], (box[0])[0], :dots) as square
) s
{{join}}
where {{where}}
order by case when area(f.extent) < :least_area::float8 then -square else f.property_id end, figure desc nulls last, f.property_id;

-- name: find_quantiles
-- The figure at each quantile in `shares` (0 to 1), among a filter's hits that match `counted`. Null if there
-- are none.
select percentile_disc(:shares::float8[]) within group (order by ({{figure}})::float8) filter (where {{counted}}) as quantiles
from {{table}}
{{join}}
where {{where}};

-- name: count_classes
-- Counts a filter's hits in each class of a figure. `breaks`: where the second and later classes start.
select width_bucket(({{figure}})::float8, :breaks::float8[]) as class, count(*)::int as count
from {{table}}
{{join}}
where {{where}}
group by 1;

-- name: list_figures
-- The figures that color the given parcels. The fragments are those of `list_tile_hits`.
select f.property_id, ({{figure}})::float8 as figure
from parcel_filters f
{{join}}
where f.fips = any (:counties::int[]) and f.property_id = any (:property_ids::bigint[]);

-- name: count_on_roll
-- The number of parcels on the roll. `fips`: one county, or null for all.
select coalesce(sum(parcels), 0)::int as parcels
from county_coverage
where :fips::int is null or fips = :fips;

-- name: read_value_classes
-- The classes of value per acre in a county. Returns no row if no parcel has a value.
select ppa_breaks as breaks, ppa_counts as counts
from valuation_counties
where fips = :fips and ppa_breaks is not null;

-- name: read_coverage
-- A box around all parcels in degrees, with a margin because it is computed from their points, and the
-- credits of their rolls. Web Mercator shows latitudes up to 85 degrees.
select array[
    greatest(-180, round(coalesce(min(west) - 0.1, -180)::numeric, 4)), greatest(-85.05, round(coalesce(min(south) - 0.1, -85.05)::numeric, 4)),
    least(180, round(coalesce(max(east) + 0.1, 180)::numeric, 4)), least(85.05, round(coalesce(max(north) + 0.1, 85.05)::numeric, 4))
  ]::float8[] as bounds,
  array(
    select distinct coalesce(f.definition ->> 'attribution', f.definition ->> 'title', f.name) as credit
    from feeds f
    where f.id in (select unnest(feed_ids) from county_coverage where parcels > 0)
    order by credit
    limit 200
  ) as credits
from county_coverage
where parcels > 0;

-- name: list_credits
-- The kinds of layers and rolls loaded in a box of 1e-7 degrees or in the given counties, with their credits.
-- The kind of an overlay has its name, such as overlay-zoning.
-- A relief drawn by Plat doesn't count as imagery.
select distinct k.kind, coalesce(f.definition ->> 'attribution', f.definition ->> 'title', f.name) as credit
from (
  select l.feed_id, coalesce('overlay-' || (o.declared ->> 'name'), l.kind) as kind
  from land_layers l
  left join lateral jsonb_array_elements(l.overlays) o (declared) on true
  where (l.coverage && :box::box or l.fips = any (:counties::int[]))
    and (l.kind <> 'imagery' or exists (
      select from imagery_sources i where i.feed_id = l.feed_id and i.type <> 'relief' and i.extent && :box::box
    ))
  union all
  select unnest(c.feed_ids), 'assessor'
  from county_coverage c
  where c.fips = any (:counties::int[]) and c.parcels > 0
) k
join feeds f on f.id = k.feed_id
order by k.kind, credit
limit 200;
