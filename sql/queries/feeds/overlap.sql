-- name: has_other_feeds
-- Whether another feed has parcels in the given counties.
select exists (
  select from county_coverage c where c.fips = any (:fips) and exists (select from unnest(c.feed_ids) id where id <> :feed_id)
) as present

-- name: stage_sample
-- Stages the columns of a file's first rows that are compared with the parcels of other feeds.
with sample as (
  select *
  from unnest(:fips::int[], :keys::text[], :apns::text[], :cities::text[], :locations::text[])
    with ordinality as s (fips, key, apn, city, location, row_no)
),
shapes as (
  insert into stage_shape (input, row_no, fips, key, hash, location, extent)
  select 0, row_no, fips, key, md5(location)::uuid, location::point, box(location::point, location::point)
  from sample
  where location is not null
)
insert into stage_roll (input, row_no, fips, key, hash, sale, apn, situs_city)
select 0, row_no, fips, key, md5(key)::uuid, false, apn, city
from sample

-- name: create_others_stage
-- The parcels that other feeds have on the rolls of the given counties. Fragments: feed id and counties, as
-- literals
create unlogged table stage_others as
select
  p.fips, p.property_id, p.feed_id, p.source_key as key, p.apn_normalized as apn, p.location, fold_name(p.situs_city) as city,
  p.roll_hash, p.shape_hash, p.row_version
from parcels p
where p.fips = any ({{fips}}::int[]) and p.feed_id <> {{feed}} and p.retired_at is null

-- name: index_others
-- Indexes staged rows by key and by parcel number.
create index on stage_others (fips, key);
create index on stage_others (fips, apn);
analyze stage_others;

-- name: create_overlap_stage
-- Parcels of other feeds that the run loads again: those with the same key, or otherwise the same parcel
-- number. Parcels over a kilometer apart or in different towns don't match, because towns of a county may use
-- the same numbers. Each key matches one parcel, and each parcel matches one key.
create unlogged table stage_overlap as
with staged as (
  select
    coalesce(r.fips, s.fips) as fips, coalesce(r.key, s.key) as key, upper(translate(r.apn, ' .-', '')) as apn, s.location,
    fold_name(r.situs_city) as city
  from stage_roll r
  full join stage_shape s on s.fips = r.fips and s.key = r.key
),
found as (
  select n.*, o.property_id, o.location as there, o.city as other_city, 0 as rank
  from staged n
  join stage_others o on o.fips = n.fips and o.key = n.key
  union all
  select n.*, o.property_id, o.location, o.city, 1
  from staged n
  join stage_others o on o.fips = n.fips and o.apn = n.apn
  where length(n.apn) >= 3
),
of_key as (
  select distinct on (fips, key) fips, key, property_id, rank
  from found
  where not coalesce(
    abs(there[0] - location[0]) > 100000 or abs(there[1] - location[1]) > 100000, other_city <> city, false
  )
  order by fips, key, rank, property_id
)
select distinct on (fips, property_id) fips, key, property_id
from of_key
order by fips, property_id, rank, key

-- name: index_overlap
-- Indexes staged rows by key.
create unique index on stage_overlap (fips, key);
analyze stage_overlap;

-- name: measure_overlap
-- For each feed, how many parcels it has in the run's counties, and how many of them the run loads again.
select f.name as feed, count(*)::int as parcels, count(v.property_id)::int as again
from stage_others o
join feeds f on f.id = o.feed_id
left join stage_overlap v on v.fips = o.fips and v.property_id = o.property_id
group by f.name
having count(v.property_id) > 0
order by again desc, f.name

-- name: leave_overlap
-- Removes the staged rows whose parcels another feed has.
with of_shape as (
  delete from stage_shape s using stage_overlap v where s.fips = v.fips and s.key = v.key
)
delete from stage_roll r using stage_overlap v where r.fips = v.fips and r.key = v.key

-- name: take_overlap
-- Compares the run's rows with the other feeds' parcels that they load again, as if the parcels belonged to
-- this feed. If this feed already has a parcel on the roll with the same key, the row is compared with that
-- parcel instead. If this feed's parcel is retired, it can no longer return.
with gone as (
  delete from stage_before b using stage_overlap v where b.fips = v.fips and b.key = v.key and not b.active
)
insert into stage_before (fips, key, property_id, roll_hash, shape_hash, row_version, active)
select v.fips, v.key, o.property_id, o.roll_hash, o.shape_hash, o.row_version, true
from stage_overlap v
join stage_others o on o.fips = v.fips and o.property_id = v.property_id
where not exists (select from stage_before b where b.fips = v.fips and b.key = v.key and b.active)

-- name: take_others
-- Like take_overlap, for all other parcels of other feeds. The run retires these parcels, because no row
-- matches their staged keys.
insert into stage_before (fips, key, property_id, roll_hash, shape_hash, row_version, active)
select o.fips, format('%s (%s)', o.key, o.property_id), o.property_id, o.roll_hash, o.shape_hash, o.row_version, true
from stage_others o
where not exists (select from stage_before b where b.fips = o.fips and b.property_id = o.property_id)

-- name: free_keys
-- Gives new keys to the feed's retired parcels if parcels taken over from other feeds need the old ones.
-- Fragments: feed id and counties, as literals
update parcels p
set source_key = p.source_key || ' (' || p.property_id::text || ')'
from stage_before b
where p.fips = any ({{fips}}::int[]) and p.fips = b.fips and p.feed_id = {{feed}} and p.source_key = b.key
  and p.property_id <> b.property_id

-- name: take_over
-- Moves the parcels of other feeds to this feed. Fragments: feed id and counties, as literals
update parcels p
set feed_id = {{feed}}, source_key = b.key
from stage_before b
where p.fips = any ({{fips}}::int[]) and p.fips = b.fips and p.property_id = b.property_id and p.feed_id <> {{feed}}
