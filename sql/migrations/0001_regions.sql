-- Counties and ZIPs of the United States: what market statistics are computed for and saved markets point at.

create table regions (
  id uuid primary key,
  type text not null check (type in ('county', 'zip')),
  code text not null check (code ~ '^[0-9]{5}$'),
  name text not null,
  state text not null check (state ~ '^[A-Z]{2}$'),
  county_name text not null,
  -- The county itself, or the one that the ZIP falls in.
  fips int not null check (fips between 1001 and 78999),
  unique (type, code)
);

create index regions_fips on regions (fips);

-- One row a region, always: the exact bytes that the market-stats endpoint sends, so that reading them is one
-- look-up by primary key and a recompute is one atomic update.
create table region_stats (
  type text not null,
  code text not null,
  body bytea not null,
  etag text not null,
  as_of date,
  listings int not null default 0,
  computed_at timestamptz,
  primary key (type, code),
  foreign key (type, code) references regions (type, code)
);

-- The body is read far more often than written, and decompressing it would cost more than its pages.
alter table region_stats alter column body set storage external;

-- Regions whose listings changed since their statistics were computed.
create table stats_dirty (
  type text not null,
  code text not null,
  marked_at timestamptz not null default clock_timestamp(),
  primary key (type, code)
);
