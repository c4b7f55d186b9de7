-- name: delete_old_jobs
-- Deletes jobs that finished more than 90 days ago. Their totals are kept.
delete from jobs
where status in ('done', 'failed') and finished_at < now() - interval '90 days'

-- name: enqueue_job
-- Adds a job to the outbox in the caller's transaction, or returns the waiting job with the same key. The
-- waiting job is locked until the commit, so that it can't start before the caller's changes are visible.
with added as (
  insert into jobs (name, key, payload)
  values (:name, :key, :payload)
  on conflict (name, key) where status = 'queued' do nothing
  returning id
),
waiting as (
  select id
  from jobs
  where name = :name and key = :key and status = 'queued'
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
-- Notifies the workers of a job once the transaction is committed.
select pg_notify(:channel, :id)

-- name: cancel_job
-- Cancels an open job. If a worker is running the job, it notices and stops.
update jobs
set status = 'failed', error_code = 'cancelled', error = 'Cancelled by ' || :by || '.', next_at = null, finished_at = clock_timestamp()
where id = :id and status in ('queued', 'running')
returning worker

-- name: copy_job
-- Enqueues an ended job again, unless one with the same key is waiting.
insert into jobs (name, key, payload)
select name, key, payload from jobs where id = :id
on conflict (name, key) where status = 'queued' do nothing
returning id

-- name: find_jobs
-- Jobs whose id starts with a prefix.
select id, status from jobs where id::text like :prefix || '%' limit 2

-- name: finish_job
-- Ends an attempt and adds it to the totals in /metrics. `outcome`: done, failed, or retried. `note`: message
-- about the next attempt, or null. `retry_seconds`: seconds until the next attempt, or null. `attempt`:
-- number of the attempt. Does nothing if another worker has taken over the job.
with finished as (
  update jobs
  set
    status = case when :outcome = 'retried' then 'running' else :outcome end,
    progress = case when :outcome = 'done' then 1 else progress end,
    -- The last progress note matters only if the job didn't end well.
    note = case when :outcome = 'done' then null else coalesce(:note, note) end,
    result = :result,
    error_code = :error_code,
    error = :error,
    worker = null,
    next_at = clock_timestamp() + make_interval(secs => :retry_seconds),
    finished_at = case when :outcome = 'retried' then null else clock_timestamp() end
  where id = :id and status = 'running' and attempts = :attempt
  returning name
)
insert into job_totals as t (name, outcome, jobs, seconds, rows, le)
select
  name, :outcome, 1, :seconds::double precision, :rows,
  array[(:seconds::double precision <= 0.1)::int, (:seconds <= 1)::int, (:seconds <= 10)::int, (:seconds <= 60)::int, (:seconds <= 600)::int, 1]::bigint[]
from finished
on conflict (name, outcome) do update
set
  jobs = t.jobs + 1,
  seconds = t.seconds + excluded.seconds,
  rows = t.rows + excluded.rows,
  le = array(select a + b from unnest(t.le, excluded.le) with ordinality as u (a, b, i) order by i)

-- name: get_job
-- A job as users see it.
select id, name, key, payload, status, progress, note, result, error_code, error, attempts, deaths, next_at, queued_at, started_at, finished_at
from jobs
where id = :id

-- name: get_overview
-- Counts the installation's contents.
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
-- Lists the newest jobs, open ones first. `status`: null for all.
select id, name, key, status, progress, note, error_code, error, attempts, deaths, next_at, queued_at, started_at, finished_at
from jobs
where :status::text is null or status = :status
order by status in ('queued', 'running') desc, queued_at desc
limit :limit

-- name: list_undelivered_jobs
-- Jobs to deliver to the queue, oldest first. If `ids` is null, as in the sweep, lists every open job older
-- than 5 seconds.
select id, name, status
from jobs
where status in ('queued', 'running')
  and (:ids::uuid[] is null and queued_at < clock_timestamp() - interval '5 seconds' or id = any (:ids))
order by queued_at
limit 10000

-- name: give_back_job
-- Puts a job that its worker can't continue back in the queue.
update jobs
set worker = null, progress = 0, note = :why
where id = :id and status = 'running' and attempts = :attempt

-- name: is_running
-- Returns whether an attempt is still the job's current one. Called by the worker that runs it.
select 1 from jobs where id = :id and status = 'running' and attempts = :attempt

-- name: report_progress
-- Updates the progress of a running job. `progress`: 0 to 1.
update jobs
set progress = :progress, note = :note
where id = :id and status = 'running'

-- name: start_job
-- Marks a delivered job as running, unless it has ended. If it is still marked as running, its worker died.
with before as (
  select id, worker as died from jobs where id = :id and status in ('queued', 'running') for update
)
update jobs j
set status = 'running', attempts = j.attempts + 1, deaths = j.deaths + (b.died is not null)::int, worker = :worker,
  started_at = clock_timestamp(), next_at = null, progress = 0,
  note = case when b.died is not null then 'restarting: its worker died (' || b.died || ')' end
from before b
where j.id = b.id
returning j.name, j.payload, j.attempts, j.deaths, b.died

-- name: list_oldest_waiting
-- When the oldest unstarted job of each kind was queued, in seconds since 1970.
select name, extract(epoch from min(queued_at))::float8 as since
from jobs
where status = 'queued'
group by name
order by name
