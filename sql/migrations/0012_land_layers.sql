-- Land layers (elevation, roads, wetlands, flood zones) and what they tell of every parcel.

alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check
  check (kind in ('assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood'));

-- The version of each layer that readers see: the run that was merged last.
create table land_layers (
  feed_id int primary key references feeds (id),
  kind text not null check (kind in ('elevation', 'roads', 'wetlands', 'flood')),
  run_id bigint not null references runs (id),
  -- Where the layer is complete: what it does not show there is not there. Integers of 1e-7 degree.
  coverage box not null,
  -- The county that it covers as a whole besides, where the feed says so.
  fips int,
  -- Roads: how far from a road of each class its frontage may lie, in metres: {"highway": 60, …}. Else null.
  reach_m jsonb,
  merged_at timestamptz not null default now()
);

-- The features that count: roads of the three classes, wetlands, special flood hazard areas.
create table layer_features (
  id bigint generated always as identity primary key,
  feed_id int not null references feeds (id),
  -- 128-bit digest of class and geometry: equal means unchanged.
  hash uuid not null,
  -- Roads: highway, normal or local; wetlands: the NWI code; flood: the FEMA zone.
  class text not null,
  extent box not null,
  -- Polygons as in parcels.boundary; lines as shared/kernels/geometry/line-codec.ts writes them.
  geometry bytea not null,
  unique (feed_id, hash)
);

alter table layer_features alter column geometry set storage external;

create index layer_features_extent on layer_features using gist (extent);

-- The files of elevation layers: what has to be known to read a window of one without looking for it.
create table elevation_tiles (
  feed_id int not null references feeds (id),
  source text not null,
  -- Size and time of a file, ETag or Last-Modified of an address: tells whether it is still the one that was ingested.
  fingerprint text not null,
  extent box not null,
  width int not null,
  height int not null,
  -- The outer corner of the first cell and the size of a cell in units of the CRS; step_y is negative.
  origin_x double precision not null,
  origin_y double precision not null,
  step_x double precision not null,
  step_y double precision not null,
  -- As proj4 reads it: EPSG code, proj string or WKT.
  crs text not null,
  -- Metres that one unit of height is.
  unit_m double precision not null,
  nodata double precision,
  primary key (feed_id, source)
);

create index elevation_tiles_extent on elevation_tiles using gist (extent);

-- What the layers tell of a parcel, and from which geometry and versions it was computed. parcel_filters carries what
-- filters read of it. Partitioned like parcels. A row outlives its parcel's retirement.
create table parcel_attributes (
  fips int not null,
  property_id bigint not null,
  shape_hash uuid not null,
  -- Runs of the layers that covered the parcel; null where none of the kind did, and then so are its figures.
  elevation_runs bigint[],
  roads_runs bigint[],
  wetlands_runs bigint[],
  flood_runs bigint[],

  min_elevation_m real,
  mean_elevation_m real,
  max_elevation_m real,
  mean_slope_percent real,
  -- Percent of the area steeper than each of the 11 slope thresholds.
  steeper_percent real[],
  highway_frontage_ft real,
  road_frontage_ft real,
  local_frontage_ft real,
  landlocked boolean,
  wetlands_percent real,
  flood_zone_percent real,
  computed_at timestamptz not null default now(),
  primary key (fips, property_id)
) partition by range (fips);

-- Parcels whose attributes are out of date, and by which layers: 1 elevation, 2 roads, 4 wetlands, 8 flood, added up.
create sequence attributes_marks;
create table attributes_dirty (
  fips int not null,
  property_id bigint not null,
  layers smallint not null check (layers between 1 and 15),
  -- Grows with every mark: one that came while the parcel was being computed is still there afterwards.
  mark bigint not null default nextval('attributes_marks'),
  -- The chunk in whose job the parcel is computed; null until that is planned.
  chunk bigint,
  primary key (fips, property_id)
);
create sequence attributes_chunks;
create index attributes_dirty_chunk on attributes_dirty (chunk);

-- For the states that have parcels.
do $$
declare
  state int;
begin
  for state in select distinct fips / 1000 from parcels loop
    execute format(
      'create table parcel_attributes_%s partition of parcel_attributes for values from (%s) to (%s)',
      lpad(state::text, 2, '0'), state * 1000, (state + 1) * 1000
    );
  end loop;
end
$$;
