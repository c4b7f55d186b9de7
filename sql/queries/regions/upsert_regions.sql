-- Adds the regions that are missing and corrects those that differ; a corrected one is marked so that its stored response
-- is written anew.
-- $1 ids, $2 types, $3 codes, $4 names, $5 states, $6 county names, $7 counties' FIPS: arrays of one length.
with wanted as (
  select *
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[])
    as w (id, type, code, name, state, county_name, fips)
),
existing as (
  select r.type, r.code from regions r
),
written as (
  insert into regions as r (id, type, code, name, state, county_name, fips)
  select id, type, code, name, state, county_name, fips from wanted
  on conflict (type, code) do update
  set id = excluded.id, name = excluded.name, state = excluded.state,
      county_name = excluded.county_name, fips = excluded.fips
  where (r.id, r.name, r.state, r.county_name, r.fips)
    is distinct from (excluded.id, excluded.name, excluded.state, excluded.county_name, excluded.fips)
  returning r.type, r.code
),
marked as (
  insert into stats_dirty (type, code)
  select type, code from written join existing using (type, code)
  on conflict (type, code) do update set marked_at = excluded.marked_at
  returning 1
)
select (select count(*) from written)::int as written, (select count(*) from marked)::int as corrected;
