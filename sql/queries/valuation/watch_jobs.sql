-- How far some jobs are.
-- $1 ids uuid[]
-- Returns: progress (of them all, 0 to 1), open and failed (jobs), parcels and valued (of those that are done), error (of one
-- that failed, or null)
select
  coalesce(avg(case when status = 'done' then 1 else progress end), 1)::float8 as progress,
  count(*) filter (where status in ('queued', 'running'))::int as open,
  count(*) filter (where status = 'failed')::int as failed,
  coalesce(sum((result ->> 'parcels')::int) filter (where status = 'done'), 0)::int as parcels,
  coalesce(sum((result ->> 'valued')::int) filter (where status = 'done'), 0)::int as valued,
  min(error) filter (where status = 'failed') as error
from jobs
where id = any ($1::uuid[])
