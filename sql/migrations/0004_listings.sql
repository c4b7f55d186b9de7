-- Listings and sales ("comps") and the history of each.

create table listings (
  -- UUID v5 of source and source_id: the same listing has the same id in every installation.
  id uuid primary key,
  feed_id int not null references feeds (id),
  source text not null,
  source_id text not null,
  -- OFF_MARKET: withdrawn, expired, cancelled, or gone from a feed that lists everything. Kept for the history.
  status text not null check (status in ('ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET')),

  address text not null default '',
  city text not null default '',
  state text not null default '',
  zip text not null default '',
  county text not null default '',
  apn text not null default '',
  -- Integers of 1e-7 degree, as in parcels.
  location point,
  -- Resolved: the feed's FIPS, else county name and state, else the county polygon that holds the point.
  fips int,
  lot_acres double precision,
  price numeric(14, 2) not null,
  listed_date date,
  status_date date,
  sold_date date,
  -- The feed's own figure; where it gives none, the days are counted from listed_date.
  days_on_market int,
  sale_type text not null default '',
  url text not null default '',
  photos text[] not null default '{}',

  row_hash uuid not null,
  created_run bigint not null,
  changed_run bigint not null,
  unique (source, source_id)
);

create index listings_county on listings (fips, status) where status <> 'OFF_MARKET';
create index listings_zip on listings (zip, status) where status <> 'OFF_MARKET';
create index listings_location on listings using gist (location) where status <> 'OFF_MARKET';
create index listings_feed on listings (feed_id) where status in ('ACTIVE', 'PENDING');

-- One row for every change of status or price, first sight included.
create table listing_events (
  listing_id uuid not null references listings (id),
  run_id bigint not null,
  status text not null,
  price numeric(14, 2) not null,
  -- The day the source gives for the status, where it gives one.
  status_date date,
  recorded_at timestamptz not null default now(),
  primary key (listing_id, run_id)
);
