-- Which counties a changed comp can reach: where the parcels are that have been valued, and the farthest from any of them
-- that a comp can be and still change a valuation.
create table valuation_counties (
  fips int primary key,
  -- Integers of 1e-7 degree.
  extent box not null,
  reach_m double precision not null
);
