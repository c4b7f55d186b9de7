-- name: keep_parcels
-- Stores the parcels that a merge is about to change, retire, or take over. Converting whole rows to JSON and
-- stripping nulls takes a third of the time of jsonb_build_object. Fragments: kept (the declared fields); as
-- literals, run, feed, fips, as_of (the day of the roll), and taken (whether the run takes parcels over)
insert into undo_parcels (run_id, fips, property_id, feed_id, was, boundary)
select {{run}}, p.fips, p.property_id, {{feed}}, json_strip_nulls(row_to_json(w))::jsonb, p.boundary
from stage_match m
join parcels p on p.fips = m.fips and p.property_id = m.property_id
left join assessed_land_values a on a.fips = p.fips and a.property_id = p.property_id and a.as_of = {{as_of}}::date
cross join lateral (
  select
    {{kept}},
    p.feed_id, p.source_key, p.changed_run, p.retired_at is not null as retired, p.roll_hash, p.shape_hash,
    p.location::text as location, p.extent::text as extent, p.calculated_acres, a.value as assessed
) w
where p.fips = any ({{fips}}::int[]) and (m.state in ('changed', 'returned', 'retired') or {{taken}} and p.feed_id <> {{feed}})

-- name: allow_undo
-- Records that a run's merge has stored everything needed to undo it.
update runs
set undo_as_of = :as_of
where id = :run_id

-- name: find_undo
-- Finds a run, with the two facts that can rule out an undo: a later run of its feed, and the run that undid
-- it.
select
  r.id, f.name as feed, r.feed_id, f.kind, r.status, r.finished_at, r.undoes,
  to_char(r.undo_as_of, 'YYYY-MM-DD') as as_of,
  (
    select max(l.id) from runs l where l.feed_id = r.feed_id and l.status = 'merged' and l.finished_at > r.finished_at
  ) as later,
  (select max(u.id) from runs u where u.undoes = r.id and u.status = 'merged') as undone_by
from runs r
join feeds f on f.id = r.feed_id
where r.id = :run_id

-- name: list_undo_counties
-- The counties in which a run may have changed parcels.
select distinct fips from undo_parcels where run_id = :run_id
union
select fips from county_coverage where :feed_id = any (feed_ids)

-- name: find_later_parcels
-- Of the later runs, finds the one that changed the most of a run's parcels, and how many. Includes parcels
-- that now use a key that the undo has to restore. `feed_id`: the feed that took the parcels over, or null if
-- none did.
with touched as (
  select p.changed_run, p.feed_id, (u.was ->> 'changed_run')::bigint as before_run, u.feed_id as expected
  from undo_parcels u
  join parcels p on p.fips = u.fips and p.property_id = u.property_id
  where u.run_id = :run_id and p.fips = any (:fips::int[])
  union all
  select p.changed_run, p.feed_id, :run_id::bigint, :feed_id::int
  from parcels p
  where p.fips = any (:fips::int[]) and p.created_run = :run_id
  union all
  select p.changed_run, p.feed_id, null, p.feed_id
  from undo_parcels u
  join parcels p on p.fips = u.fips and p.feed_id = (u.was ->> 'feed_id')::int and p.source_key = u.was ->> 'source_key'
  where u.run_id = :run_id and p.fips = any (:fips::int[]) and p.property_id <> u.property_id and u.feed_id <> p.feed_id
)
select changed_run, case when feed_id <> expected then feed_id end as feed_id, count(*)::int as parcels
from touched
where changed_run not in (coalesce(before_run, 0), :run_id) or feed_id <> expected
group by 1, 2
order by parcels desc
limit 1

-- name: find_later_listings
-- Like find_later_parcels, for the sales of the run's roll.
select changed_run, null::int as feed_id, count(*)::int as parcels
from listings l
left join undo_listings u on u.run_id = :run_id and u.listing_id = l.id
where (u.run_id is not null or l.created_run = :run_id) and l.changed_run <> :run_id
group by 1
order by 3 desc
limit 1

-- name: find_later_run
-- Finds the later run that changed parcels, with the name of its feed. With `feed_id`, finds the last merged
-- run of that feed.
select r.id, f.name as feed
from runs r
join feeds f on f.id = r.feed_id
where case
  when :feed_id::int is null then r.id = :changed_run::bigint
  else r.feed_id = :feed_id and r.status = 'merged'
end
order by r.finished_at desc
limit 1

-- name: create_now_stage
-- The parcels that a run changed, as they are now. Fragments: run and counties, as literals
create unlogged table stage_now as
select p.fips, p.property_id, p.feed_id, p.source_key, p.roll_hash, p.shape_hash, p.row_version,
  p.retired_at is null as active
from undo_parcels u
join parcels p on p.fips = u.fips and p.property_id = u.property_id
where u.run_id = {{run}} and p.fips = any ({{fips}}::int[])
union all
select p.fips, p.property_id, p.feed_id, p.source_key, p.roll_hash, p.shape_hash, p.row_version, p.retired_at is null
from parcels p
where p.fips = any ({{fips}}::int[]) and p.created_run = {{run}}

-- name: read_kept_rolls
-- A batch of the parcels that were on the roll before a run.
select property_id, fips, was
from undo_parcels
where run_id = :run_id and property_id > :after and was ? 'roll_hash' and not (was ->> 'retired')::boolean
order by property_id
limit :limit

-- name: stage_kept_shapes
-- Stages the shapes that parcels had before a run. The staged key is the parcel's id, because parcels of
-- several feeds may share a key.
insert into stage_shape (input, row_no, fips, key, hash, location, extent, calculated_acres, boundary)
select
  0, property_id, fips, property_id::text, (was ->> 'shape_hash')::uuid, (was ->> 'location')::point, (was ->> 'extent')::box,
  (was ->> 'calculated_acres')::float8, boundary
from undo_parcels
where run_id = :run_id and was ? 'shape_hash' and not (was ->> 'retired')::boolean

-- name: match_kept_parcels
-- Determines what the merge will do with every parcel that the run changed. Parcels that the run added are
-- retired. Fragment: run
create unlogged table stage_match as
select
  n.fips, n.property_id::text as key, n.property_id as row_no, r.ctid as roll_at, s.ctid as shape_at,
  r.key is not null as in_roll, s.key is not null as in_shape, n.property_id,
  n.row_version,
  case
    when coalesce((u.was ->> 'retired')::boolean, true) then case when n.active then 'retired' else 'unchanged' end
    when not n.active then 'returned'
    when n.roll_hash is distinct from r.hash or n.shape_hash is distinct from s.hash then 'changed'
    else 'unchanged'
  end as state
from stage_now n
left join undo_parcels u on u.run_id = {{run}} and u.property_id = n.property_id
left join stage_roll r on r.fips = n.fips and r.key = n.property_id::text
left join stage_shape s on s.fips = n.fips and s.key = n.property_id::text

-- name: give_back
-- Returns parcels to the feeds that had them. Fragments: run and counties, as literals
update parcels p
set feed_id = (u.was ->> 'feed_id')::int, source_key = u.was ->> 'source_key'
from undo_parcels u
where u.run_id = {{run}} and p.fips = any ({{fips}}::int[]) and p.fips = u.fips and p.property_id = u.property_id
  and p.feed_id <> (u.was ->> 'feed_id')::int

-- name: restore_keys
-- Restores the keys of the feed's retired parcels that free_keys replaced. Fragments: feed and counties, as
-- literals
update parcels p
set source_key = n.source_key
from stage_now n
where p.fips = any ({{fips}}::int[]) and p.fips = n.fips and p.feed_id = {{feed}} and p.retired_at is not null
  and p.property_id <> n.property_id and p.source_key = n.source_key || ' (' || p.property_id::text || ')'

-- name: forget_assessed
-- Deletes the assessed values that a run recorded. Fragments: counties and as_of, as literals
delete from assessed_land_values a
using stage_now n
where a.fips = any ({{fips}}::int[]) and a.fips = n.fips and a.property_id = n.property_id and a.as_of = {{as_of}}::date

-- name: restore_assessed
-- Restores the values that were recorded earlier for the same day. Fragments: run and as_of, as literals
insert into assessed_land_values (fips, property_id, as_of, value)
select fips, property_id, {{as_of}}::date, (was ->> 'assessed')::bigint
from undo_parcels
where run_id = {{run}} and was ? 'assessed'

-- name: keep_undone
-- Stores digests of what an undo reverts.
insert into undo_parcels (run_id, fips, property_id, feed_id, was)
select
  :run_id, fips, property_id, feed_id,
  jsonb_build_object('roll_hash', roll_hash, 'shape_hash', shape_hash, 'retired', not active)
from stage_now

-- name: end_undone
-- Marks a run as undone, and deletes the data that was stored for the undo.
with marked as (
  update runs
  set status = 'undone', undo_as_of = null
  where id = :run_id
),
parcels_deleted as (
  delete from undo_parcels where run_id = :run_id
)
delete from undo_listings where run_id = :run_id

-- name: measure_undone
-- If the feed's last merged run is an undo, returns the run that it undid, how many parcels that run had
-- changed, and how many of them the staged rows would change again in the same way.
select
  l.undoes as run, count(*)::int as undone,
  count(*) filter (
    where case
      when (u.was ->> 'retired')::boolean then m.state = 'retired'
      else m.state <> 'retired' and r.hash is not distinct from (u.was ->> 'roll_hash')::uuid
        and s.hash is not distinct from (u.was ->> 'shape_hash')::uuid
    end
  )::int as again
from (
  select id, undoes from runs where feed_id = :feed_id and status = 'merged' order by finished_at desc limit 1
) l
join undo_parcels u on u.run_id = l.id
left join stage_match m on m.fips = u.fips and m.property_id = u.property_id
left join stage_roll r on r.fips = m.fips and r.key = m.key
left join stage_shape s on s.fips = m.fips and s.key = m.key
where l.undoes is not null
group by l.undoes

-- name: get_run_before
-- The figures from a feed's last accepted run before the given one.
select b.counts
from runs r
join runs b on b.feed_id = r.feed_id and b.status in ('merged', 'unchanged') and b.finished_at < r.finished_at
where r.id = :run_id
order by b.finished_at desc
limit 1

-- name: end_undo
-- Marks runs that can no longer be undone: those older than 30 days, and those followed by a merged run of
-- the same feed.
update runs r
set undo_as_of = null
where r.undo_as_of is not null
  and (
    r.finished_at < now() - interval '30 days'
    or exists (select from runs l where l.feed_id = r.feed_id and l.status = 'merged' and l.finished_at > r.finished_at)
  )

-- name: delete_undo_parcels
-- Deletes the stored parcels of runs that can no longer be undone. The digests that an undo stored are kept
-- until the feed's next merged run.
delete from undo_parcels u
using runs r
where r.id = u.run_id and r.undo_as_of is null and r.status <> 'running'
  and (
    r.undoes is null
    or exists (select from runs l where l.feed_id = r.feed_id and l.status = 'merged' and l.finished_at > r.finished_at)
  )

-- name: delete_undo_listings
-- Like delete_undo_parcels, for listings.
delete from undo_listings u
using runs r
where r.id = u.run_id and r.undo_as_of is null and r.status <> 'running'
