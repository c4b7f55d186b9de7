-- Creates the staging tables for a run of an assessor feed in the run's schema (first on the search path).
-- They are unlogged and have no indexes, because they are filled once by COPY and dropped with the schema.
-- Fragment: declared (the declared fields' columns with their types)
create unlogged table stage_roll (
  -- 0 for a row on the roll. 1 for the attributes of a geometry row whose key isn't on the roll.
  input smallint not null,
  row_no bigint not null,
  fips int not null,
  key text not null,
  hash uuid not null,
  -- Whether the row's last sale meets the feed's conditions for a comp.
  sale boolean not null,
  -- Identifier of the deed of that sale, and whether the sale covers several parcels. Null if the source
  -- doesn't say.
  book text,
  several boolean,
  -- Earlier sales that become comps: [{date, price, book, several}].
  prior jsonb,
  -- Derived from the row, for the filters.
  owner_key uuid,
  place_key uuid,
  corporate_owner boolean,
  hoa_owner boolean,
  out_of_state_owner boolean,
  out_of_county_owner boolean,
  out_of_zip_owner boolean,
  lives_there boolean,
  {{declared}}
);

create unlogged table stage_shape (
  -- As in stage_roll, 0 if the roll has its own geometry, 1 if a separate file does.
  input smallint not null,
  row_no bigint not null,
  fips int not null,
  key text not null,
  hash uuid not null,
  location point not null,
  extent box not null,
  -- Null for a point.
  calculated_acres double precision,
  boundary bytea
);

alter table stage_shape alter column boundary set storage external;

-- Roll rows that were removed because an earlier row has the same key.
create unlogged table stage_removed (
  input smallint not null,
  row_no bigint not null,
  fips int not null,
  key text not null,
  acres double precision,
  identical boolean not null
);
