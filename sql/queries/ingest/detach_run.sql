-- Notes why the source of a merged run broke off, and leaves the job to a run of its own for the rest.
-- $1 run id bigint, $2 error code text, $3 error text
update runs
set job_id = null, error_code = $2, error = $3
where id = $1
