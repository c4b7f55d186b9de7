-- The staging tables of one run of an assessor feed, in the run's own schema (first on the search path).
-- Unlogged and without indexes: they are filled once by COPY and dropped with the schema.
create unlogged table stage_roll (
  -- 0 for a row of the roll; 1 for what a geometry row tells where the roll has no row of that key.
  input smallint not null,
  row_no bigint not null,
  fips int not null,
  key text not null,
  hash uuid not null,
  -- The row fits the feed's description of a sale that becomes a comp.
  sale boolean not null,
  -- Derived from the row for the filters.
  owner_key uuid,
  corporate_owner boolean,
  hoa_owner boolean,
  out_of_state_owner boolean,
  out_of_county_owner boolean,
  out_of_zip_owner boolean,
  lives_there boolean,
  apn text,
  acres double precision,
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
  vacant boolean
);

create unlogged table stage_shape (
  -- As in stage_roll: 0 where the roll brings its own geometry, 1 where that comes in a file of its own.
  input smallint not null,
  row_no bigint not null,
  fips int not null,
  key text not null,
  hash uuid not null,
  location point not null,
  extent box not null,
  calculated_acres double precision not null,
  boundary bytea not null
);

alter table stage_shape alter column boundary set storage external;

-- The one boundary of each parcel that came in parts.
create unlogged table stage_united (like stage_shape including storage);

-- Roll rows that were taken out again because their key had been used before.
create unlogged table stage_removed (
  input smallint not null,
  row_no bigint not null,
  identical boolean not null
);
