-- The run of a job that has done its work already: the worker died between the merge and the job's end.
-- $1 job id uuid
-- Returns: id, status, counts, gate
select id, status, counts, gate
from runs
where job_id = $1 and status in ('merged', 'unchanged', 'blocked')
