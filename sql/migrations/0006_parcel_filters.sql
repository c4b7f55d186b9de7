-- What filters read: one narrow row a parcel on the roll, of fixed-width columns alone, so that a filter is an index
-- or a short scan. Partitioned like parcels. Derived at ingestion from the same roll, in the same transaction; a
-- retired parcel has no row here.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table parcel_filters (
  fips int not null,
  property_id bigint not null,
  -- Integers of 1e-7 degree; null where the parcel has no geometry.
  location point,
  extent box,
  effective_acres double precision,
  situs_zip int,
  -- Hash of the normalised mailing address; parcels that share it form a portfolio. Null without an address.
  owner_key uuid,

  building_sqft double precision,
  improvement_percent double precision,
  mortgage_interest_rate double precision,
  assessed_total_value bigint,
  assessed_land_value bigint,
  assessed_improvement_value bigint,
  market_total_value bigint,
  market_land_value bigint,
  market_improvement_value bigint,
  last_sale_price bigint,
  mortgage_amount bigint,
  last_sale_date date,
  mortgage_date date,
  structure_count int,
  year_built smallint,
  tax_delinquent_year smallint,

  tax_delinquent boolean,
  owner_occupied boolean,
  out_of_state_owner boolean,
  out_of_county_owner boolean,
  out_of_zip_owner boolean,
  -- By the documented word lists; null without an owner name.
  corporate_owner boolean,
  hoa_owner boolean,
  inter_family_transfer boolean,
  vacant boolean,

  -- From the land layers; null until a layer covers the parcel.
  landlocked boolean,
  wetlands_percent real,
  flood_zone_percent real,
  highway_frontage_ft real,
  road_frontage_ft real,
  local_frontage_ft real,
  -- Percent of the area steeper than each of the 11 slope thresholds.
  steeper_percent real[],

  primary key (fips, property_id)
) partition by range (fips);

create index parcel_filters_zip on parcel_filters (situs_zip);
create index parcel_filters_location on parcel_filters using gist (location);
create index parcel_filters_extent on parcel_filters using gist (extent);

-- Spatial look-ups go through the narrow rows.
drop index parcels_location;
drop index parcels_extent;

-- Substrings of owner names within a county.
create index parcels_owner_name on parcels using gin (fips, owner_name gin_trgm_ops) where retired_at is null;

-- Portfolios cross counties, which nothing else on a hot path does: they have a table of their own, keyed by owner.
create table owner_parcels (
  owner_key uuid not null,
  property_id bigint not null,
  primary key (owner_key, property_id)
);
