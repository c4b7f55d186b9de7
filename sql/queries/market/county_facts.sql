-- name: create_county_facts_stage
-- Creates the staging table for a run's county facts in the run's schema. The table is unlogged and is filled
-- once by COPY.
create unlogged table stage_county_facts as
select
  null::bigint as row_no,
  fips,
  population,
  population_year,
  earlier_population,
  earlier_year,
  household_income,
  income_year,
  housing_permits,
  permits_year,
  row_hash as hash
from county_facts
with no data

-- name: delete_gone_county_facts
-- Removes the counties that a feed no longer lists.
delete from county_facts f
where f.feed_id = :feed_id and not exists (select from stage_county_facts s where s.fips = f.fips)

-- name: measure_county_facts
-- The figures that the gate compares and the run reports.
select
  count(s.fips)::int as rows,
  count(*) filter (where f.fips is null)::int as new,
  count(*) filter (where f.row_hash <> s.hash)::int as changed,
  count(*) filter (where f.row_hash = s.hash)::int as unchanged,
  count(*) filter (where s.fips is null)::int as retired
from stage_county_facts s
full join (select fips, row_hash from county_facts where feed_id = :feed_id) f on f.fips = s.fips

-- name: read_county_facts
-- Counties' facts as their feeds have them. `fips`: only this county and the metropolitan ones; null for all.
select
  fips,
  population,
  population_year,
  earlier_population,
  earlier_year,
  household_income,
  income_year,
  housing_permits,
  permits_year
from county_facts
where :fips::int is null or fips = :fips::int or population >= :metro_population::int
order by fips, feed_id

-- name: upsert_county_facts
-- Writes new and changed counties.
insert into county_facts (
  fips, feed_id, population, population_year, earlier_population, earlier_year, household_income, income_year,
  housing_permits, permits_year, row_hash
)
select
  fips,
  :feed_id,
  population,
  population_year,
  earlier_population,
  earlier_year,
  household_income,
  income_year,
  housing_permits,
  permits_year,
  hash
from stage_county_facts
on conflict (fips, feed_id) do update
set
  population = excluded.population,
  population_year = excluded.population_year,
  earlier_population = excluded.earlier_population,
  earlier_year = excluded.earlier_year,
  household_income = excluded.household_income,
  income_year = excluded.income_year,
  housing_permits = excluded.housing_permits,
  permits_year = excluded.permits_year,
  row_hash = excluded.row_hash
where county_facts.row_hash <> excluded.row_hash
