-- How good the data of each county are: what would take a reading of all its parcels, and its ratio studies.
create table county_records (
  fips int primary key,
  -- The day as of which sales are looked back upon.
  as_of date not null,
  -- Of shared/feeds/county-record.ts.
  record json not null,
  -- What it knows: the newest run of the county's rolls, and how many sales there were.
  seen_run bigint not null,
  seen_sales int not null,
  computed_at timestamptz not null default now()
);
