-- name: clear_words
-- Deletes the words of a county. fill_words writes them again. Fragment: table.
delete from {{table}}
where fips = :fips::int

-- name: create_before_stage
-- The feed's parcels before the run, including retired ones. Only this feed's runs write these parcels, one
-- run at a time. Fragments: feed id and the counties from list_stage_counties, as literals
create unlogged table stage_before as
select p.fips, p.source_key as key, p.property_id, p.roll_hash, p.shape_hash, p.row_version,
  p.retired_at is null as active
from parcels p
where p.fips = any ({{fips}}::int[]) and p.feed_id = {{feed}}

-- name: create_raw_stage
-- The raw text of rows that repeat a key in the run. It is needed because some of those rows will be
-- rejected.
create unlogged table stage_raw (
  row_no bigint not null,
  raw text not null
);

-- name: fill_words
-- Writes the words of a county's parcels, each with the serials of the parcels on the roll that have it, 4
-- bytes per serial. Words are cut to 500 characters, so that they fit in an index. Fragments: table; text
-- (the column of parcels p that is split at spaces); fips (the county, as a literal).
insert into {{table}} (fips, word, serials)
select fips, word, string_agg(int4send(serial), '')
from (
  select p.fips, (p.property_id - p.fips * 100000000::bigint)::int as serial, left(w.word, 500) as word
  from parcels p
  cross join lateral string_to_table({{text}}, ' ') w (word)
  where p.fips = {{fips}} and p.retired_at is null
) named
where word <> ''
group by fips, word

-- name: insert_parcels
-- Adds the feed's new parcels. Fragments: fields and staged (the declared columns), run id and feed id (as
-- literals)
insert into parcels (
  fips, property_id, feed_id, source_key, apn_normalized, roll_hash, shape_hash, created_run, changed_run,
  row_version, location, extent, boundary, calculated_acres,
  {{fields}}
)
select
  w.fips, w.property_id, {{feed}}, w.key, upper(translate(r.apn, ' .-', '')), r.hash, s.hash, {{run}}, {{run}},
  w.row_version, s.location, s.extent, s.boundary, s.calculated_acres,
  {{staged}}
from stage_write w
left join stage_roll r on r.ctid = w.roll_at
left join stage_shape s on s.ctid = w.shape_at
where w.state = 'new'

-- name: insert_owner_parcels
-- Writes the columns that portfolios read, for the parcels that the merge writes. Rows are sorted by owner,
-- so that the index is written in order instead of at random
insert into owner_parcels (owner_key, property_id, place_key)
select r.owner_key, w.property_id, r.place_key
from stage_write w
join stage_roll r on r.ctid = w.roll_at
where r.owner_key is not null
order by r.owner_key

-- name: keep_assessed
-- Stores the roll's new and changed assessed land values. Fragments: fips, as_of (the date from which they
-- apply).
insert into assessed_land_values (fips, property_id, as_of, value)
select f.fips, f.property_id, {{as_of}}::date, f.assessed_land_value
from parcel_filters f
left join (
  select distinct on (fips, property_id) fips, property_id, value
  from assessed_land_values
  where fips = any ({{fips}}) and as_of <= {{as_of}}::date
  order by fips, property_id, as_of desc
) before on before.fips = f.fips and before.property_id = f.property_id
where f.fips = any ({{fips}}) and f.assessed_land_value > 0 and f.assessed_land_value is distinct from before.value
on conflict (fips, property_id, as_of) do update set value = excluded.value

-- name: keep_land
-- Keeps the land figures of parcels that are rewritten. They stay valid as long as the parcel's shape is the
-- same. Fragment: fips (the counties that change, as a literal)
create unlogged table stage_land as
select a.*
from stage_write w
join parcel_attributes a on a.fips = w.fips and a.property_id = w.property_id
where w.state <> 'new' and a.fips = any ({{fips}}::int[])

-- name: index_land
-- Indexes the stage, because parcels are looked up in it one by one.
alter table stage_land add primary key (fips, property_id)

-- name: keep_raw_rows
-- Stores the raw text of rows that repeat a key, in case they are rejected as duplicates.
insert into stage_raw (row_no, raw)
select *
from unnest(:row_numbers::bigint[], :texts::text[])

-- name: list_changed_counties
-- The counties with new, changed, returned, or retired parcels.
select distinct fips
from stage_match
where state <> 'unchanged'

-- name: list_near_counties
-- The counties whose parcels may be next to parcels that change in the given counties.
with changing as (
  select min((extent[1])[0]) as west, min((extent[1])[1]) as south, max((extent[0])[0]) as east, max((extent[0])[1]) as north
  from stage_shape
  group by fips
  union all
  select west * 1e7, south * 1e7, east * 1e7, north * 1e7 from county_coverage where fips = any (:counties)
)
select unnest(:counties::int[]) as fips
union
select c.fips
from county_coverage c
join changing t on box(point(c.west * 1e7, c.south * 1e7), point(c.east * 1e7, c.north * 1e7))
  && box(point(t.west - :distance, t.south - :distance), point(t.east + :distance, t.north + :distance))

-- name: list_split_shapes
-- Geometry features that share a key, in the order of the file: the parts of one parcel. `identical`: for
-- each feature, whether its attributes repeat those of the first feature. Null if its attributes were kept,
-- or if it has none.
select
  s.input, s.fips, s.key,
  array_agg(s.ctid::text order by s.row_no) as places,
  array_agg(s.row_no order by s.row_no) as row_nos,
  array_agg(r.identical order by s.row_no) as identical,
  array_agg(s.hash::text order by s.row_no) as hashes,
  array_agg(s.calculated_acres order by s.row_no) as acres,
  array_agg(s.boundary order by s.row_no) as boundaries,
  (array_agg(s.location::text order by s.row_no))[1] as location,
  (array_agg(s.extent::text order by s.row_no))[1] as extent
from stage_shape s
join (
  select fips, key
  from stage_shape
  group by fips, key
  having count(*) > 1
) split using (fips, key)
left join stage_removed r on r.input = s.input and r.row_no = s.row_no
group by s.input, s.fips, s.key
order by s.fips, s.key

-- name: list_stage_counties
-- The counties in a run's rows, and those with parcels of its feed, because parcels in a county that the roll
-- no longer contains are retired.
select fips from stage_roll
union
select fips from stage_shape
union
select fips from county_coverage where :feed_id = any (feed_ids)
order by fips

-- name: match_parcels
-- Determines what the merge will do with every key in the run, and with parcels whose keys aren't in the run.
create unlogged table stage_match as
select
  coalesce(r.fips, s.fips, p.fips) as fips,
  coalesce(r.key, s.key, p.key) as key,
  coalesce(r.row_no, s.row_no) as row_no,
  r.ctid as roll_at,
  s.ctid as shape_at,
  coalesce(r.input = 0, false) as in_roll,
  s.key is not null as in_shape,
  p.property_id,
  p.row_version,
  case
    when p.property_id is null then 'new'
    when r.key is null and s.key is null then 'retired'
    when not p.active then 'returned'
    when p.roll_hash is distinct from r.hash or p.shape_hash is distinct from s.hash then 'changed'
    else 'unchanged'
  end as state
from stage_roll r
full join stage_shape s on s.fips = r.fips and s.key = r.key
full join stage_before p on p.fips = coalesce(r.fips, s.fips) and p.key = coalesce(r.key, s.key)
where p.active is not false or r.key is not null or s.key is not null

-- name: number_parcels
-- The parcels that the merge writes, in the order of the roll, each with its id, its row_version, and the
-- locations (ctid) of its staged rows. New parcels get the reserved serials. Fragment: version
create unlogged table stage_write as
select
  m.fips,
  coalesce(
    m.property_id,
    m.fips::bigint * 100000000 + c.last_serial - n.parcels
      + row_number() over (partition by m.fips, m.property_id is null order by m.in_roll desc, m.row_no)
  ) as property_id,
  case when m.state = 'changed' and d.property_id is null then m.row_version else {{version}} end as row_version,
  m.key, m.state, m.roll_at, m.shape_at
from stage_match m
join county_serials c on c.fips = m.fips
left join pending_changes d on d.fips = m.fips and d.property_id = m.property_id
left join (select fips, count(*) as parcels from stage_match where state = 'new' group by fips) n on n.fips = m.fips
where m.state in ('new', 'changed', 'returned')
order by fips, property_id

-- name: measure_acreage
-- Compares the stated acreage of a run's parcels with the measured acreage: the number of parcels with both,
-- the median ratio of stated to measured, and how many differ by more than a factor of 4.
select
  count(*)::int as parcels,
  coalesce(percentile_cont(0.5) within group (order by r.acres / s.calculated_acres), 1) as median,
  count(*) filter (where r.acres / s.calculated_acres not between 0.25 and 4)::int as off
from stage_roll r
join stage_shape s using (fips, key)
where r.acres > 0 and s.calculated_acres > 0

-- name: measure_extent
-- The extent of a run's points by county, in degrees, and how many are outside the county's box. The boxes
-- include a margin.
select
  s.fips,
  count(*)::int as points,
  count(*) filter (
    where s.location[0] / 1e7 not between c.west and c.east or s.location[1] / 1e7 not between c.south and c.north
  )::int as outside,
  min(s.location[0]) / 1e7 as west,
  min(s.location[1]) / 1e7 as south,
  max(s.location[0]) / 1e7 as east,
  max(s.location[1]) / 1e7 as north
from stage_shape s
join unnest(:fips::int[], :west::float8[], :south::float8[], :east::float8[], :north::float8[]) as c (fips, west, south, east, north)
  on c.fips = s.fips
group by s.fips

-- name: measure_parcels
-- The figures that the gate compares and the run reports.
select
  count(*) filter (where state <> 'retired')::int as parcels,
  count(*) filter (where in_roll and in_shape)::int as joined,
  count(*) filter (where in_roll and not in_shape)::int as roll_without_shape,
  count(*) filter (where in_shape and not in_roll)::int as shape_without_roll,
  count(*) filter (where state = 'new')::int as new,
  count(*) filter (where state = 'changed')::int as changed,
  count(*) filter (where state = 'returned')::int as returned,
  count(*) filter (where state = 'unchanged')::int as unchanged,
  count(*) filter (where state = 'retired')::int as retired
from stage_match

-- name: reject_parts
-- Rejects the geometry of features that could not be combined with the first part of their parcel. `most`:
-- rejects stored per reason
insert into run_rejects (run_id, input, row_no, field, reason, message, raw)
select
  :run_id, :input, row_no, 'geometry', 'geometry_not_united',
  format('This geometry cannot be combined with that of the first feature of key %s, which is used for the parcel.', :key::text),
  json_build_object('key', :key::text)::text
from unnest(:row_numbers::bigint[]) as row_no
limit greatest(0, :most - (select count(*) from run_rejects where run_id = :run_id and reason = 'geometry_not_united'))

-- name: remove_parcel_filters
-- Deletes the filter and portfolio rows of parcels that were retired or changed. Rows of changed parcels are
-- then written again. Fragment: fips (the counties that change, as a literal)
with outdated as (
  delete from parcel_filters f
  using stage_match m
  where m.state in ('changed', 'retired') and f.fips = any ({{fips}}::int[]) and f.fips = m.fips and f.property_id = m.property_id
  returning f.owner_key, f.property_id
)
delete from owner_parcels o
using outdated u
where o.owner_key = u.owner_key and o.property_id = u.property_id

-- name: replace_split_shapes
-- Replaces the parts of parcels with their combined boundaries. A cursor that is already open doesn't see the
-- new rows. `ctids`: ctids of the parts. `row_numbers`: row numbers of the first parts.
with parts as (
  delete from stage_shape
  where ctid = any (:ctids::tid[])
)
insert into stage_shape (input, row_no, fips, key, hash, location, extent, calculated_acres, boundary)
select u.input, u.row_no, u.fips, u.key, u.hash, u.location::point, u.extent::box, u.acres, u.boundary
from unnest(:inputs::smallint[], :row_numbers::bigint[], :fips::int[], :keys::text[], :hashes::uuid[], :locations::text[], :extents::text[], :acres::float8[], :boundaries::bytea[])
  as u (input, row_no, fips, key, hash, location, extent, acres, boundary)

-- name: reserve_serials
-- Reserves a block of serials for each county's new parcels. Each county's row stays locked until the merge
-- commits, so that two feeds of a county never use the same serial. If the merge fails, its block becomes
-- available again.
insert into county_serials as c (fips, last_serial)
select fips, count(*)
from stage_match
where state = 'new'
group by fips
-- All merges use the same order, so that two feeds that cover several counties can't deadlock.
order by fips
on conflict (fips) do update set last_serial = c.last_serial + excluded.last_serial

-- name: retire_parcels
-- Retires the parcels that left the roll. They keep their row and id, and become active again if their key
-- returns. Fragment: fips (the counties that change, as a literal).
update parcels p
set retired_run = :run_id, retired_at = now(), changed_run = :run_id, row_version = :version
from stage_match m
where m.state = 'retired' and p.fips = any ({{fips}}::int[]) and p.fips = m.fips and p.property_id = m.property_id

-- name: update_parcels
-- Rewrites the parcels that changed or returned. Each keeps its property_id, and its row_version if no
-- visible field changed. Fragments: assigned (the declared columns); fips (the counties that change, as a
-- literal).
update parcels p
set
  apn_normalized = upper(translate(r.apn, ' .-', '')),
  roll_hash = r.hash,
  shape_hash = s.hash,
  changed_run = :run_id,
  row_version = case when d.property_id is null then p.row_version else :version end,
  retired_run = null,
  retired_at = null,
  location = s.location,
  extent = s.extent,
  boundary = s.boundary,
  calculated_acres = s.calculated_acres,
  {{assigned}}
from stage_match m
left join stage_roll r on r.fips = m.fips and r.key = m.key
left join stage_shape s on s.fips = m.fips and s.key = m.key
left join pending_changes d on d.fips = m.fips and d.property_id = m.property_id
where m.state in ('changed', 'returned') and p.fips = any ({{fips}}::int[]) and p.fips = m.fips and p.property_id = m.property_id

-- name: create_further_stage
-- Rows of a feed's further rolls by key. `input`: number of the roll, starting at 1. `values`: the values of
-- the declared fields, in order.
create unlogged table stage_further (
  input smallint not null,
  row_no bigint not null,
  fips int not null,
  key text not null,
  sale boolean not null,
  deed jsonb not null,
  prior jsonb,
  values jsonb not null
);

-- name: list_further_parcels
-- Rows of further rolls whose key isn't on the first roll, by key, then in the order of the rolls.
select f.fips, f.key, f.input * 1000000000::bigint + f.row_no as row_no, f.sale, f.deed, f.prior, f.values
from stage_further f
left join stage_roll r on r.fips = f.fips and r.key = f.key and r.input = 0
where r.key is null
order by f.fips, f.key, f.input

-- name: list_further_rows
-- The values that further rolls have for the given keys, in the order of the rolls.
select f.fips, f.key, f.row_no, f.sale, f.deed, f.prior, f.values
from unnest(:fips::int[], :keys::text[]) as wanted (fips, key)
join stage_further f using (fips, key)
order by f.input, f.row_no

-- name: index_further
-- Indexes rows of further rolls by key.
create index on stage_further (fips, key)
