-- The newest jobs, open ones first.
-- $1 limit int
select id, name, key, status, progress, note, error_code, error, attempts, queued_at, started_at, finished_at
from jobs
order by status in ('queued', 'running') desc, queued_at desc
limit $1
