-- Marks a delivered job as running, unless it was finished by an earlier delivery.
-- $1 id uuid
update jobs
set status = 'running', attempts = attempts + 1, started_at = clock_timestamp(), progress = 0, note = null
where id = $1 and status in ('queued', 'running')
returning name, payload, attempts
