-- One run, whole.
-- $1 run id bigint
select
  r.id, f.name as feed, f.kind, r.status, r.forced, r.requested_by, r.attempts, r.inputs, r.counts, r.gate,
  r.error_code, r.error, r.started_at, r.finished_at
from runs r
join feeds f on f.id = r.feed_id
where r.id = $1
