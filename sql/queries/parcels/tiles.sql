-- name: read_version
-- A number that changes with every run that merged something.
select coalesce(max(id), 0) as version from runs where status = 'merged';

-- name: count_parcels
-- Parcels on the roll, by county.
select c.fips, c.parcels, r.name || ', ' || r.state as name
from county_coverage c
join regions r on r.type = 'county' and r.fips = c.fips
where c.fips = any (:fips::int[]) and c.parcels > 0;

-- name: list_parcels
-- Parcels in a tile, the largest first where there are too many. The box stands in a `with`, for the planner
-- would start parallel workers for a parameter.
with tile as materialized (select :box::box as box)
select f.property_id, case when :with_apns::boolean then p.apn end as apn, case when :with_boundaries::boolean then p.boundary end as boundary,
  f.location[0] as lon, f.location[1] as lat
from tile
join parcel_filters f on f.extent && tile.box
join parcels p on p.fips = f.fips and p.property_id = f.property_id
where f.fips = any (:fips::int[]) and p.fips = any (:fips::int[])
order by area(f.extent) desc, f.property_id
limit :limit;

-- name: list_features
-- Features of the land in a tile, the largest first where there are too many.
with tile as materialized (select :box::box as box)
select l.class, l.geometry
from tile
join layer_features l on l.extent && tile.box
where l.feed_id in (select feed_id from land_layers where kind = :kind)
order by area(l.extent) desc
limit :limit;

-- name: read_box
-- Where parcels of a county are known, in degrees.
select west, south, east, north from county_coverage where fips = :fips and parcels > 0;

-- name: list_elevation
-- The files of heights that meet a tile.
select
  source, fingerprint, width, height, origin_x as "originX", origin_y as "originY", step_x as "stepX",
  step_y as "stepY", crs, unit_m as "unitM", nodata
from elevation_tiles
where extent && :box::box and feed_id in (select feed_id from land_layers where kind = 'elevation')
order by feed_id, source;
