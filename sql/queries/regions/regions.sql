-- name: digest_regions
-- One digest of all regions in the order of (type, code), and how many have no row in region_stats.
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
-- Whether there is a region. $1 type text (county, zip), $2 code text (FIPS or ZIP)
select code
from regions
where type = $1 and code = $2

-- name: list_unknown
-- Of these regions those that there are not; none in a database without any. $1 types, $2 codes
select asked.type, asked.code
from unnest($1::text[], $2::text[]) as asked (type, code)
left join regions r on r.type = asked.type and r.code = asked.code
where r.code is null and (select count(*) from (select 1 from regions limit 1) as any_region) > 0

-- name: insert_region_stats
-- The response until the first statistics. $1 types, $2 codes, $3 etags, $4 the bodies as one text, a line each.
insert into region_stats (type, code, etag, body)
select b.type, b.code, b.etag, convert_to(b.body, 'UTF8')
from unnest($1::text[], $2::text[], $3::text[], string_to_array($4, E'\n')) as b (type, code, etag, body)
on conflict (type, code) do nothing;

-- name: list_regions_without_stats
-- Codes of the regions that have no stored response.
select r.type || ':' || r.code as key
from regions r
where not exists (select 1 from region_stats s where s.type = r.type and s.code = r.code);

-- name: list_zip_counties
-- The county that each ZIP falls in.
select code as zip, fips
from regions
where type = 'zip'

-- name: search_regions
-- A page of the regions that have all the words, counties first, by name. {{words}}: a condition for each pattern ($9 …). {{beyond}}: > or <, with
-- {{direction}}. $1 type or null, $2 state or null, $3 whether to count; the place: $4 type or null for none, $5 name, $6 code; $7 most rows, $8 rows to skip.
-- One row at least, for the total.
with hits as materialized (
  select id, type, code, name, state, county_name
  from regions
  where ($1::text is null or type = $1) and ($2::text is null or state = $2) {{words}}
), page as (
  select *
  from hits
  where $4::text is null or (type, name, code) {{beyond}} ($4, $5::text, $6::text)
  order by type {{direction}}, name {{direction}}, code {{direction}}
  limit $7 offset $8
)
select t.total, p.*
from (select case when $3 then (select count(*)::int from hits) end as total) as t
left join page p on true
order by p.type {{direction}}, p.name {{direction}}, p.code {{direction}}

-- name: upsert_regions
-- Adds missing regions and corrects those that differ, whose response is written anew. $1 json: a list of regions.
with wanted as (
  select *
  from json_to_recordset($1::json)
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
