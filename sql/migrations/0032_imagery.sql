-- Imagery: what there is to draw parcels on, and the secrets that sign the addresses of pictures.

alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check
  check (
    kind in (
      'assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'contacts', 'numbering', 'dnc', 'imagery'
    )
  );

alter table land_layers drop constraint land_layers_kind_check;
alter table land_layers add constraint land_layers_kind_check
  check (kind in ('elevation', 'roads', 'wetlands', 'flood', 'imagery'));

-- Files and servers of imagery; their pixels stay where they are.
create table imagery_sources (
  feed_id int not null references feeds (id),
  -- Path or address of a file, template of tiles, address of an ImageServer; of a relief the feed's name.
  source text not null,
  type text not null check (type in ('cog', 'xyz', 'arcgis_image', 'relief')),
  -- Tells the version that was ingested from others.
  fingerprint text not null,
  -- Integers of 1e-7 degree.
  extent box not null,
  -- Metres on the ground that a pixel is wide in the middle of the extent.
  pixel_m double precision not null,
  captured date,
  -- What reading it takes, by type: size, transform, crs, range, nodata and alpha of a file; max_zoom, tile_size and headers of tiles.
  details jsonb not null,
  primary key (feed_id, source)
);

create index imagery_sources_extent on imagery_sources using gist (extent);

-- The newest one signs, the last two are valid.
create table image_secrets (
  id bigint generated always as identity primary key,
  secret bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  created_at timestamptz not null default now()
);

insert into image_secrets default values;
