-- name: read_version
-- A number that changes with every run that merged something. No parameters.
select coalesce(max(id), 0) as version from runs where status = 'merged';

-- name: count_parcels
-- Parcels on the roll, by county. $1 county FIPS codes
select c.fips, c.parcels, r.name || ', ' || r.state as name
from county_coverage c
join regions r on r.type = 'county' and r.fips = c.fips
where c.fips = any ($1::int[]) and c.parcels > 0;

-- name: list_parcels
-- Parcels in a tile, the largest first where there are too many. The box stands in a `with`, for the planner would start parallel workers for a parameter.
-- $1 county FIPS codes, $2 box in 1e-7 degrees text, $3 whether with boundaries, $4 whether with parcel numbers, $5 limit int
with tile as materialized (select $2::box as box)
select f.property_id, case when $4::boolean then p.apn end as apn, case when $3::boolean then p.boundary end as boundary,
  f.location[0] as lon, f.location[1] as lat
from tile
join parcel_filters f on f.extent && tile.box
join parcels p on p.fips = f.fips and p.property_id = f.property_id
where f.fips = any ($1::int[]) and p.fips = any ($1::int[])
order by area(f.extent) desc, f.property_id
limit $5;

-- name: list_features
-- Features of the land in a tile, the largest first where there are too many. $1 box in 1e-7 degrees text, $2 kind, $3 limit int
with tile as materialized (select $1::box as box)
select l.class, l.geometry
from tile
join layer_features l on l.extent && tile.box
where l.feed_id in (select feed_id from land_layers where kind = $2)
order by area(l.extent) desc
limit $3;

-- name: read_box
-- Where parcels of a county are known, in degrees. $1 county FIPS
select west, south, east, north from county_coverage where fips = $1 and parcels > 0;

-- name: list_elevation
-- The files of heights that meet a tile. $1 box in 1e-7 degrees text
select
  source, fingerprint, width, height, origin_x as "originX", origin_y as "originY", step_x as "stepX",
  step_y as "stepY", crs, unit_m as "unitM", nodata
from elevation_tiles
where extent && $1::box and feed_id in (select feed_id from land_layers where kind = 'elevation')
order by feed_id, source;
