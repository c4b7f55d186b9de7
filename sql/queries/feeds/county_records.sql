-- name: is_record_due
-- Whether a county's record is missing, over a week old, older than the last merge of one of its rolls, or
-- based on less than 90% of the sales.
select true as due
from county_coverage c
where c.fips = :fips
  and not exists (
    select 1
    from county_records r
    where r.fips = c.fips and r.record -> 'confidence_order' is not null and r.computed_at > now() - interval '7 days'
      and r.seen_run >= (select coalesce(max(id), 0) from runs where feed_id = any (c.feed_ids) and status = 'merged')
      and r.seen_sales * 1.1 >= (select count(*) from listings where fips = :fips and status = 'SOLD')
  )

-- name: get_known
-- The newest run that changed one of a county's rolls (0 if there is none), and the county's number of sales.
select
  (
    select coalesce(max(r.id), 0)
    from county_coverage c
    join runs r on r.feed_id = any (c.feed_ids) and r.status = 'merged'
    where c.fips = :fips
  )::float8 as seen_run,
  (select count(*)::int from listings where fips = :fips and status = 'SOLD') as seen_sales

-- name: measure_county
-- The number of parcels in a county, and how many have each field. {{filled}}: a count for each field.
-- {{most_apart}}: the largest factor between stated and measured acres that still agree.
select
  count(*)::int as parcels, {{filled}},
  count(p.boundary)::int as boundaries,
  count(*) filter (where p.acres > 0 and p.calculated_acres > 0)::int as acreage_compared,
  count(*) filter (
    where p.acres > 0 and p.calculated_acres > 0
      and greatest(p.acres / p.calculated_acres, p.calculated_acres / p.acres) <= {{most_apart}}
  )::int as acreage_agrees
from parcels p
left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
where p.fips = :fips and p.retired_at is null

-- name: list_land_values
-- The assessor's land value for some of a county's parcels: the market value, or else the assessed value.
select property_id::float8 as property_id, value::float8 as value
from (
  select property_id, coalesce(nullif(market_land_value, 0), nullif(assessed_land_value, 0)) as value
  from parcel_filters
  where fips = :fips and property_id = any (:property_ids::bigint[])
) known
where value > 0

-- name: get_confidence_order
-- Whether estimates with higher confidence had smaller errors, from a county's record. `fips`: the county.
select record -> 'confidence_order' as order from county_records where fips = :fips

-- name: store_record
-- Replaces a county's record.
insert into county_records (fips, as_of, record, seen_run, seen_sales)
values (:fips, :as_of, :record, :seen_run, :seen_sales)
on conflict (fips) do update
set
  as_of = excluded.as_of, record = excluded.record, seen_run = excluded.seen_run, seen_sales = excluded.seen_sales,
  computed_at = excluded.computed_at

-- name: get_record
-- A county's record (null if there is none yet), with the latest merged and blocked runs of its rolls, newest
-- first. `runs`: number of runs.
select
  to_char(r.as_of, 'YYYY-MM-DD') as as_of, r.record, r.computed_at,
  (
    select jsonb_agg(to_jsonb(h) order by h.run_id desc)
    from (
      select u.id as run_id, f.name as feed, u.status, u.counts, u.finished_at,
        (select count(*) from county_coverage other where f.id = any (other.feed_ids)) as counties
      from county_coverage c
      join feeds f on f.id = any (c.feed_ids)
      join runs u on u.feed_id = f.id
      where c.fips = asked.fips and u.status in ('merged', 'blocked')
      order by u.id desc
      limit :runs
    ) h
  ) as history
from (select :fips::int as fips) asked
left join county_records r on r.fips = asked.fips

-- name: list_towns
-- The towns of a county's parcels, as named on the roll. Towns with the most parcels come first. A town with
-- less than 1% of the parcels may be a typo.
select town
from (
  select upper(btrim(situs_city)) as town, count(*) as parcels, sum(count(*)) over () as of_all
  from parcels
  where fips = :fips and retired_at is null and btrim(situs_city) <> ''
  group by upper(btrim(situs_city))
) named
where parcels * 100 >= of_all
order by parcels desc, town
limit :limit

-- name: list_noted_towns
-- The towns in the records of some counties.
select fips, record -> 'towns' as towns
from county_records
where fips = any (:fips::int[])

-- name: list_boxes
-- The extents of counties' parcels, in degrees. Counties whose parcels have no location are omitted. `fips`:
-- null for all.
select fips, west, south, east, north
from county_coverage
where west is not null and (:fips::int[] is null or fips = any (:fips))
