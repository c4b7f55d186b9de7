-- A county is valued as a whole: which comps each of its valuations depends on is no longer kept.
alter table valuations drop column reach_m, drop column reach_log_acres, drop column level_reach_m;

-- Where the parcels of a county are that were valued, and where comps can be that matter to them. Integers of 1e-7 degree.
drop table valuation_counties;
create table valuation_counties (
  fips int primary key,
  extent box not null,
  reach box not null
);

-- Marks are of counties. What was marked otherwise is taken for all counties that have parcels.
-- fitted: the model has been fitted since to what the county is to be valued for.
alter table valuations_dirty add column fitted boolean not null default false;
insert into valuations_dirty (fips) select fips from county_serials where (select count(*) from valuations_dirty) > 0;
delete from valuations_dirty where location is not null or land_of is not null or fips = 0;
alter table valuations_dirty drop column location, drop column acres, drop column land_of, alter column fips set not null;
