-- One job as people see it.
-- $1 id uuid
select id, name, key, payload, status, progress, note, result, error_code, error, attempts, queued_at, started_at, finished_at
from jobs
where id = $1
