-- Ends a run.
-- $1 run id bigint, $2 status text, $3 inputs jsonb, $4 counts jsonb, $5 gate jsonb, $6 error code text, $7 error text
update runs
set
  status = $2, inputs = $3, counts = $4, gate = $5, error_code = $6, error = $7, finished_at = clock_timestamp()
where id = $1
