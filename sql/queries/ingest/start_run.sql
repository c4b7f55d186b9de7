-- Begins a run, or begins it again when its job is tried once more: an earlier attempt's rejects go.
-- $1 feed id int, $2 job id uuid (null outside a job), $3 requested by text, $4 forced boolean
-- Returns: id, attempts
with run as (
  insert into runs as r (feed_id, job_id, requested_by, forced)
  values ($1, $2, $3, $4)
  on conflict (job_id) where job_id is not null do update
  set status = 'running', attempts = r.attempts + 1, error_code = null, error = null, gate = null, finished_at = null
  returning id, attempts
),
cleared as (
  delete from run_rejects
  where run_id in (select id from run where attempts > 1)
)
select id, attempts
from run
