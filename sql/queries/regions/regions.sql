-- name: digest_regions
-- A digest of all regions, in the order of (type, code), and how many have no row in region_stats.
select
  count(*)::int as regions,
  count(*) filter (where s.code is null)::int as without_stats,
  coalesce(
    md5(string_agg(concat_ws(E'\t', r.id, r.type, r.code, r.name, r.state, r.county_name, r.fips), E'\n'
      order by r.type collate "C", r.code collate "C")),
    md5('')
  ) as digest
from regions r
left join region_stats s using (type, code);

-- name: find_region
-- Whether a region exists. `type`: county or zip. `code`: FIPS or ZIP.
select code
from regions
where type = :type and code = :code

-- name: list_counties_of_zips
-- The counties that ZIPs are in.
select distinct fips from regions where type = 'zip' and code = any (:codes::text[]);

-- name: list_unknown
-- Returns which of these regions don't exist. Returns none if the database has no regions at all.
select asked.type, asked.code
from unnest(:types::text[], :codes::text[]) as asked (type, code)
left join regions r on r.type = asked.type and r.code = asked.code
where r.code is null and (select count(*) from (select 1 from regions limit 1) as any_region) > 0

-- name: insert_region_stats
-- Inserts the responses for regions without statistics. `bodies`: all bodies as one string, one per line.
insert into region_stats (type, code, etag, body)
select b.type, b.code, b.etag, convert_to(b.body, 'UTF8')
from unnest(:types::text[], :codes::text[], :etags::text[], string_to_array(:bodies, E'\n')) as b (type, code, etag, body)
on conflict (type, code) do nothing;

-- name: list_regions_without_stats
-- Codes of regions without a stored response.
select r.type || ':' || r.code as key
from regions r
where not exists (select 1 from region_stats s where s.type = r.type and s.code = r.code);

-- name: list_zip_counties
-- The county of each ZIP.
select code as zip, fips
from regions
where type = 'zip'

-- name: search_regions
-- A page of the regions that match all words. Counties come first; within each type, regions are sorted by
-- name. {{words}}: a condition for each pattern. `type`, `state`, and `after_type` may be null. Returns at
-- least one row, because each row includes the total.
with hits as materialized (
  select id, type, code, name, state, county_name
  from regions
  where (:type::text is null or type = :type) and (:state::text is null or state = :state) {{words}}
), page as (
  select *
  from hits
  where :after_type::text is null or (type, name, code) {{beyond}} (:after_type, :after_name::text, :after_code::text)
  order by type {{direction}}, name {{direction}}, code {{direction}}
  limit :limit offset :offset
)
select t.total, p.*
from (select case when :with_total then (select count(*)::int from hits) end as total) as t
left join page p on true
order by p.type {{direction}}, p.name {{direction}}, p.code {{direction}}

-- name: upsert_regions
-- Adds missing regions and updates those that differ. Marks the updated regions, so that their stored
-- responses are rewritten. `regions`: a JSON list of regions.
with wanted as (
  select *
  from json_to_recordset(:regions::json)
    as w (id uuid, type text, code text, name text, state text, county_name text, fips int)
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
