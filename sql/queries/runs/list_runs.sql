-- The newest runs with their counts.
-- $1 feed name text (null for all), $2 limit int
-- Returns: id, feed, kind, status, forced, requested_by, counts, error, started_at, finished_at
select r.id, f.name as feed, f.kind, r.status, r.forced, r.requested_by, r.counts, r.error, r.started_at, r.finished_at
from runs r
join feeds f on f.id = r.feed_id
where $1::text is null or f.name = $1
order by r.id desc
limit $2
