-- Parcels, partitioned by state: a range of FIPS codes each, created when the first parcel of a state arrives.

-- The next serial of a county's property_id. A serial is never handed out twice.
create table county_serials (
  fips int primary key,
  last_serial bigint not null
);

create table parcels (
  fips int not null,
  -- fips * 100,000,000 + serial: tells the county by itself and survives every re-ingest.
  property_id bigint not null,
  feed_id int not null,
  -- The feed's normalised key of the parcel.
  source_key text not null,

  apn text,
  -- Upper case, without spaces, dashes and dots.
  apn_normalized text,

  -- Geometry in integers of 1e-7 degree: core operators compare with a tolerance of 1e-6 units.
  location point,
  extent box,
  boundary bytea,
  acres double precision,
  calculated_acres double precision,
  effective_acres double precision generated always as (coalesce(acres, calculated_acres)) stored,

  owner_name text,
  owner_name_2 text,
  mail_address text,
  mail_city text,
  mail_state text,
  mail_zip text,
  situs_address text,
  situs_city text,
  situs_state text,
  situs_zip text,

  subdivision text,
  zoning_code text,
  land_use_code text,
  school_district text,
  structure_count int,
  building_sqft double precision,
  year_built int,

  assessed_total_value bigint,
  assessed_land_value bigint,
  assessed_improvement_value bigint,
  market_total_value bigint,
  market_land_value bigint,
  market_improvement_value bigint,
  tax_delinquent boolean,
  tax_delinquent_year int,

  last_sale_date date,
  last_sale_price bigint,
  sale_price_code text,
  seller_name text,
  document_type_code text,
  inter_family_transfer boolean,
  mortgage_amount bigint,
  mortgage_date date,
  mortgage_financing_type_code text,
  mortgage_loan_type_code text,
  mortgage_interest_rate double precision,
  owner_occupied boolean,
  vacant boolean,

  -- 128-bit digests of the attributes and of the geometry as ingested: equal means unchanged.
  roll_hash uuid,
  shape_hash uuid,
  created_run bigint not null,
  changed_run bigint not null,
  -- A parcel that left the roll keeps its row and its id.
  retired_run bigint,
  retired_at timestamptz,

  primary key (fips, property_id)
) partition by range (fips);

alter table parcels alter column boundary set storage external;

create unique index parcels_source on parcels (fips, feed_id, source_key);
create index parcels_apn on parcels (fips, apn_normalized) where retired_at is null;
create index parcels_location on parcels using gist (location) where retired_at is null;
create index parcels_extent on parcels using gist (extent) where retired_at is null;
