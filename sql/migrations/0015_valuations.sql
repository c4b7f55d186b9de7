-- What every parcel with acreage and a point is worth by the sales around it. One row a parcel that has relevant comps.

create table valuations (
  fips int not null,
  property_id bigint not null,
  mean_price double precision not null,
  mean_ppa double precision not null,
  mean_adjusted_price double precision not null,
  mean_adjusted_ppa double precision not null,
  gini_index real not null,
  confidence_score real not null,
  -- An 80 % interval of the price.
  low_price double precision not null,
  high_price double precision not null,
  -- The parcel lies outside of what the comps cover.
  out_of_support boolean not null,
  -- Which new sales could change the row: those within level_reach_m, and those for which the distance over reach_m and
  -- the difference of ln(acres) over reach_log_acres add up to 1 at most.
  reach_m real not null,
  reach_log_acres real not null,
  level_reach_m real not null,
  -- The comps used, as shared/domain/valuation.ts packs them: each one's id and how its price per acre was moved.
  comps bytea not null,
  as_of date not null,
  model_version text not null,
  computed_at timestamptz not null default now(),
  primary key (fips, property_id)
) partition by range (fips);

-- What is due: 0 for the whole market, a county as a whole (its parcels changed), or the parcels that a comp can reach
-- that came, changed or went: where it is, and how large. Integers of 1e-7 degree.
create table valuations_dirty (
  id bigint generated always as identity primary key,
  fips int,
  location point,
  acres double precision,
  check ((fips is null) = (location is not null and acres > 0))
);

create index valuations_dirty_fips on valuations_dirty (fips);

-- What the market as a whole told when the model was fitted last (Parameters of shared/kernels/valuation/model.ts), so that
-- a few parcels can be valued anew without reading every sale there is. One row.
create table valuation_model (
  only_row boolean primary key default true check (only_row),
  as_of date not null,
  parameters jsonb not null,
  fitted_at timestamptz not null default now()
);

-- The sales that the fit left out as outliers.
create table valuation_outliers (
  listing_id uuid primary key
);

-- For the states that have parcels.
do $$
declare
  state int;
begin
  for state in select distinct fips / 1000 from parcels loop
    execute format(
      'create table valuations_%s partition of valuations for values from (%s) to (%s)',
      lpad(state::text, 2, '0'), state * 1000, (state + 1) * 1000
    );
  end loop;
end
$$;
