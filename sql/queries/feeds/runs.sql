-- name: abandon_runs
-- Ends runs whose worker died and whose job has not been retried. Run under the feed's lock.
update runs
set
  status = 'failed', error_code = 'interrupted', error = 'The worker ended before the run did.',
  finished_at = clock_timestamp()
where feed_id = :feed_id and id <> :run_id and status = 'running'
returning id

-- name: clear_rejects
-- Deletes the rejected rows of a run's earlier attempts, unless a later attempt has taken over the run.
delete from run_rejects
where run_id = :run_id and exists (select from runs where id = :run_id and attempts = :attempt)

-- name: delete_old_rejects
-- Deletes the rejects of runs that ended more than 90 days ago, except those of each feed's newest run.
delete from run_rejects j
using runs r
where j.run_id = r.id and r.finished_at < now() - interval '90 days'
  and exists (select from runs n where n.feed_id = r.feed_id and n.id > r.id)

-- name: delete_old_runs
-- Deletes runs that changed nothing and ended more than a year ago, except each feed's newest. Merged runs
-- are kept, because the history of listings refers to them.
delete from runs r
where r.status <> 'merged' and r.finished_at < now() - interval '1 year'
  and exists (select from runs n where n.feed_id = r.feed_id and n.id > r.id)
  and not exists (select from listing_events e where e.run_id = r.id)

-- name: detach_run
-- Stores why the source broke off during a merged run, and detaches the run from its job, so that the job's
-- next attempt starts a new run for the rest.
update runs
set job_id = null, error_code = :error_code, error = :error
where id = :run_id

-- name: finish_run
-- Ends a run unless it has already ended, because an error after the merge must not change its result. Does
-- nothing if a later attempt has taken over the run.
update runs
set
  status = :status, inputs = :inputs, counts = :counts, gate = :gate, error_code = :error_code, error = :error, finished_at = clock_timestamp()
where id = :run_id and attempts = :attempt and status not in ('merged', 'unchanged', 'blocked')

-- name: get_ended_run
-- The ended run for a job whose worker died after the merge but before the job ended.
select id, status, counts, gate
from runs
where job_id = :job_id and status in ('merged', 'unchanged', 'blocked')

-- name: get_last_accepted_run
-- Returns the run whose data is current. It isn't always the one with the highest id, because a failed run
-- may be retried later. `best`: the most rows and keys of any accepted run in the last 12 months or since an
-- operator last forced a run through the gate, whichever period is shorter.
with accepted as (
  select
    id, counts, inputs, finished_at,
    max(finished_at) filter (where forced and jsonb_array_length(gate -> 'blocked') > 0) over () as forced_at
  from runs
  where feed_id = :feed_id and status in ('merged', 'unchanged')
)
select
  id, counts, inputs,
  (
    select json_build_object('rows', max((b.counts ->> 'rows')::bigint), 'matchedKeys', max((b.counts ->> 'matched_keys')::bigint))
    from accepted b
    where b.finished_at > now() - interval '12 months' and b.finished_at >= coalesce(b.forced_at, '-infinity')
  ) as best
from accepted
order by finished_at desc
limit 1

-- name: get_run
-- All columns of a run.
select
  r.id, f.name as feed, f.kind, r.status, r.forced, r.undoes, r.requested_by, r.attempts, r.inputs, r.counts, r.gate,
  r.error_code, r.error, r.started_at, r.finished_at
from runs r
join feeds f on f.id = r.feed_id
where r.id = :run_id

-- name: keep_first
-- Keeps the first of the staged rows that share a key. Fragments: table, key, and order of the rows
with ranked as (
  select ctid as place, row_number() over (partition by {{key}} order by {{order}}) as n
  from {{table}}
),
removed as (
  delete from {{table}} s
  using ranked
  where s.ctid = ranked.place and ranked.n > 1
  returning 1
)
select count(*)::int as identical
from removed

-- name: list_ingested_feeds
-- The feeds with data: those with an accepted run.
select distinct f.name
from feeds f
join runs r on r.feed_id = f.id
where r.status in ('merged', 'unchanged')

-- name: list_feed_counties
-- The counties of a feed's parcels, by state and name.
select c.fips, r.name, r.state
from feeds f
join county_coverage c on f.id = any (c.feed_ids)
join regions r on r.type = 'county' and r.fips = c.fips
where f.name = :feed_name
order by r.state, r.name
limit :limit

-- name: list_rejects
-- The stored rejected rows of a run. `reason`: null for all.
select input, row_no, field, reason, message, raw
from run_rejects
where run_id = :run_id and (:reason::text is null or reason = :reason)
order by reason, input, row_no
limit :limit

-- name: first_reject
-- The first unusable row of a run.
select input, row_no, message from run_rejects where run_id = :run_id order by input, row_no limit 1

-- name: list_runs
-- The newest runs with their counts. `feed_name`: null for all.
select r.id, f.name as feed, f.kind, r.status, r.forced, r.undoes, r.requested_by, r.counts, r.error, r.started_at, r.finished_at
from runs r
join feeds f on f.id = r.feed_id
where :feed_name::text is null or f.name = :feed_name
order by r.id desc
limit :limit

-- name: list_stages
-- The staging schemas of a run's attempts, newest first.
select nspname as name
from pg_namespace
where nspname ~ format('^stage_%s(_\d+)?$', :run_id::bigint)
order by length(nspname) desc, nspname desc

-- name: lock_feed
-- Locks out other merges of a feed until the transaction ends. Readers and other feeds are not blocked.
select id
from feeds
where id = :feed_id
for no key update

-- name: lock_run
-- Locks a run that this attempt is working on. No row if a later attempt has taken it over or it has ended.
select id
from runs
where id = :run_id and attempts = :attempt and status = 'running'
for no key update

-- name: measure_matches
-- The figures that the gate compares and the run reports. {{matches}}: the table with each row's result
select
  count(*) filter (where state <> 'gone')::int as rows,
  count(*) filter (where state = 'new')::int as new,
  count(*) filter (where state = 'changed')::int as changed,
  count(*) filter (where state = 'unchanged')::int as unchanged,
  count(*) filter (where state = 'gone')::int as retired
from {{matches}}

-- name: register_feed
-- Registers a feed, unless data of another kind was accepted under its name.
with before as materialized (
  select id, as_of
  from feeds
  where name = :name
),
registered as (
  insert into feeds as f (name, kind, definition, as_of)
  values (:name, :kind, :definition, :as_of)
  on conflict (name) do update
  set kind = excluded.kind, definition = excluded.definition, as_of = excluded.as_of, updated_at = now()
  where
    f.kind = excluded.kind
    or not exists (select 1 from runs r where r.feed_id = f.id and r.status in ('merged', 'unchanged'))
  returning id, checkpoint, as_of
),
-- A new as-of date shifts the time windows of statistics and changes estimates, even if no listing changes.
moved as materialized (
  select distinct l.fips, l.zip
  from registered r
  join before b on b.id = r.id and b.as_of is distinct from r.as_of
  join listings l on l.feed_id = r.id
),
regions_marked as (
  insert into stats_dirty (type, code)
  select distinct r.type, r.code
  from moved m
  cross join lateral (values ('county', lpad(m.fips::text, 5, '0')), ('zip', m.zip)) as touched (type, code)
  join regions r on r.type = touched.type and r.code = touched.code
  order by r.type, r.code
  on conflict (type, code) do update set marked_at = clock_timestamp()
),
counties_marked as (
  insert into valuations_dirty (fips)
  select distinct fips
  from moved
  where fips is not null
)
select id, checkpoint, exists (select 1 from moved) as moved
from registered

-- name: save_checkpoint
-- Stores where the next run of an incremental feed will continue, in the same transaction as the merge.
update feeds
set checkpoint = :checkpoint, updated_at = now()
where id = :feed_id

-- name: set_repeats_aside
-- Keeps the first of the staged rows that share a key, drops equal ones, and rejects different ones.
-- Fragments: table, key, order, and compared (the columns to compare) of the rows; input, field, reason,
-- message, and raw of a rejected row d. `most`: rejects stored per reason
with ranked as (
  select
    ctid as place,
    row_number() over same_key as n,
    first_value({{compared}}) over same_key as kept,
    first_value(row_no) over same_key as kept_row
  from {{table}}
  window same_key as (partition by {{key}} order by {{order}})
),
removed as (
  delete from {{table}} s
  using ranked
  where s.ctid = ranked.place and ranked.n > 1
  returning s.*, s.{{compared}} = ranked.kept as identical, ranked.kept_row
),
set_aside as (
  insert into run_rejects (run_id, input, row_no, field, reason, message, raw)
  select :run_id, {{input}}, d.row_no, '{{field}}', '{{reason}}', {{message}}, {{raw}}
  from removed d
  where not d.identical
  order by d.row_no
  limit :most
)
select
  (select count(*)::int from removed where identical) as identical,
  (select count(*)::int from removed where not identical) as {{reason}}

-- name: start_run
-- Starts a run, or restarts it when its job is retried. `job_id` may be null. `undoes`: the run that this run
-- undoes, or null.
insert into runs as r (feed_id, job_id, requested_by, forced, undoes)
values (:feed_id, :job_id, :requested_by, :forced, :undoes)
on conflict (job_id) where job_id is not null do update
set status = 'running', attempts = r.attempts + 1, error_code = null, error = null, gate = null, finished_at = null
returning id, attempts

-- name: is_computing
-- Whether any jobs that merges trigger are queued or running.
select exists (
  select true
  from jobs
  where status in ('queued', 'running')
    and name in ('attributes.plan', 'attributes.chunk', 'market.recompute', 'valuation.county', 'valuation.all')
) as computing

-- name: find_stats_mark
-- Returns a row if any statistics have to be recomputed.
select 1 as marked from stats_dirty limit 1

-- name: find_attributes_mark
-- Returns a row if the land of any parcel has to be measured again.
select 1 as marked from attributes_dirty limit 1

-- name: create_whole_stage
-- Creates the table that records that all of an attempt's inputs are staged. Like the staging tables, it is
-- unlogged, so a server crash empties it together with them.
create unlogged table stage_whole (made_of text not null, staged jsonb not null)

-- name: note_staged
-- Records that all inputs are staged, and their sources. stage: the attempt's schema.
insert into {{stage}}.stage_whole values (:made_of, :staged)

-- name: read_staged
-- Returns what an attempt has staged, if its sources haven't changed since. stage: the attempt's schema.
select staged from {{stage}}.stage_whole where made_of = :made_of
