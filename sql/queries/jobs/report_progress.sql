-- What people see of a running job.
-- $1 id uuid, $2 progress real (0 to 1), $3 note text
update jobs
set progress = $2, note = $3
where id = $1 and status = 'running'
