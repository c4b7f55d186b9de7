-- name: count_worker_sessions
-- Sessions of workers in this database. An idle worker may have none for some seconds; one that works has.
select count(*)::int as workers
from pg_stat_activity
where datname = current_database() and application_name = 'plat worker'

-- name: delete_old_jobs
-- Finished jobs are kept for 90 days; their totals for good.
delete from jobs
where status in ('done', 'failed') and finished_at < now() - interval '90 days'

-- name: enqueue_job
-- Adds a job to the outbox in the caller's transaction, or finds the waiting one that would do the same work. That one is held
-- until the commit, so that it cannot begin too early and miss the work. $1 name text, $2 key text, $3 payload jsonb
with added as (
  insert into jobs (name, key, payload)
  values ($1, $2, $3)
  on conflict (name, key) where status = 'queued' do nothing
  returning id
),
waiting as (
  select id
  from jobs
  where name = $1 and key = $2 and status = 'queued'
  for share
)
select id, true as added
from added
union all
select id, false
from waiting
where not exists (select 1 from added)
limit 1

-- name: announce_job
-- Tells the workers of a job once the transaction is committed. $1 channel, $2 id
select pg_notify($1, $2)

-- name: cancel_job
-- Ends a job that is open; the worker that runs it, if any, sees that it is open no longer and breaks off. $1 id, $2 by whom
update jobs
set status = 'failed', error_code = 'cancelled', error = 'Cancelled by ' || $2 || '.', next_at = null, finished_at = clock_timestamp()
where id = $1 and status in ('queued', 'running')
returning worker

-- name: copy_job
-- Adds a job that does what an ended one was to do, unless such a one is waiting. $1 id
insert into jobs (name, key, payload)
select name, key, payload from jobs where id = $1
on conflict (name, key) where status = 'queued' do nothing
returning id

-- name: find_jobs
-- The jobs whose id begins so. $1 the beginning
select id, status from jobs where id::text like $1 || '%' limit 2

-- name: finish_job
-- Ends an attempt and adds it to the totals behind /metrics. $1 id, $2 outcome (done, failed, retried), $3 result, $4 error code, $5 error, $6 seconds,
-- $7 rows, $8 note on a next attempt or null, $9 seconds until that or null, $10 which attempt: one that another worker took over ends nothing
with finished as (
  update jobs
  set
    status = case when $2 = 'retried' then 'running' else $2 end,
    progress = case when $2 = 'done' then 1 else progress end,
    -- What it was doing last matters where it did not end well.
    note = case when $2 = 'done' then null else coalesce($8, note) end,
    result = $3,
    error_code = $4,
    error = $5,
    worker = null,
    next_at = clock_timestamp() + make_interval(secs => $9),
    finished_at = case when $2 = 'retried' then null else clock_timestamp() end
  where id = $1 and status = 'running' and attempts = $10
  returning name
)
insert into job_totals as t (name, outcome, jobs, seconds, rows, le)
select
  name, $2, 1, $6::double precision, $7,
  array[($6::double precision <= 0.1)::int, ($6 <= 1)::int, ($6 <= 10)::int, ($6 <= 60)::int, ($6 <= 600)::int, 1]::bigint[]
from finished
on conflict (name, outcome) do update
set
  jobs = t.jobs + 1,
  seconds = t.seconds + excluded.seconds,
  rows = t.rows + excluded.rows,
  le = array(select a + b from unnest(t.le, excluded.le) with ordinality as u (a, b, i) order by i)

-- name: get_job
-- One job as people see it. $1 id uuid
select id, name, key, payload, status, progress, note, result, error_code, error, attempts, deaths, next_at, queued_at, started_at, finished_at
from jobs
where id = $1

-- name: get_overview
-- What the installation holds, at a glance.
select
  (select count(*)::int from regions where type = 'county') as counties,
  (select count(*)::int from regions where type = 'zip') as zips,
  (select count(*)::int from feeds) as feeds,
  (select count(*)::int from parcels where retired_at is null) as parcels,
  (select count(*)::int from parcels where retired_at is not null) as retired_parcels,
  (select count(*)::int from listings where status <> 'OFF_MARKET') as comps,
  (select count(*)::int from region_stats where computed_at is not null) as regions_with_statistics,
  (select count(*)::int from stats_dirty) as regions_due,
  (select count(*)::int from land_layers) as land_layers,
  (select count(*)::int from attributes_dirty) as parcels_due,
  (select count(*)::int from jobs where status = 'queued') as jobs_queued,
  (select count(*)::int from jobs where status = 'running') as jobs_running,
  (select count(*)::int from jobs where status = 'failed') as jobs_failed,
  pg_size_pretty(pg_database_size(current_database())) as database_size

-- name: list_jobs
-- The newest jobs, open ones first. $1 most of them, $2 their status or null for all
select id, name, key, status, progress, note, error_code, error, attempts, deaths, next_at, queued_at, started_at, finished_at
from jobs
where $2::text is null or status = $2
order by status in ('queued', 'running') desc, queued_at desc
limit $1

-- name: list_undelivered_jobs
-- Jobs to be handed to the queue, oldest first. $1 ids uuid[] (null for the sweep: every open one older than seconds)
select id, name, status
from jobs
where status in ('queued', 'running')
  and ($1::uuid[] is null and queued_at < clock_timestamp() - interval '5 seconds' or id = any ($1))
order by queued_at
limit 10000

-- name: give_back_job
-- A job that its worker cannot go on with waits for another, or for better times. $1 id, $2 why, $3 its attempt
update jobs
set worker = null, progress = 0, note = $2
where id = $1 and status = 'running' and attempts = $3

-- name: is_running
-- Whether an attempt of a job is the one that runs, from where it runs. $1 id, $2 the attempt
select 1 from jobs where id = $1 and status = 'running' and attempts = $2

-- name: report_progress
-- What people see of a running job. $1 id, $2 progress (0 to 1), $3 note
update jobs
set progress = $2, note = $3
where id = $1 and status = 'running'

-- name: start_job
-- Marks a delivered job as running, unless it has ended; one that runs still died with its worker. $1 id, $2 who runs it
with before as (
  select id, worker as died from jobs where id = $1 and status in ('queued', 'running') for update
)
update jobs j
set status = 'running', attempts = j.attempts + 1, deaths = j.deaths + (b.died is not null)::int, worker = $2,
  started_at = clock_timestamp(), next_at = null, progress = 0,
  note = case when b.died is not null then 'begins again: its worker died (' || b.died || ')' end
from before b
where j.id = b.id
returning j.name, j.payload, j.attempts, j.deaths, b.died
