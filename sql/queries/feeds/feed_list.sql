-- name: list_feeds
-- Every feed with runs, its last run and the last one that changed data.
select f.name, f.kind, f.as_of, last.status, last.finished_at,
  (select max(finished_at) from runs where feed_id = f.id and status in ('merged', 'unchanged')) as last_merged,
  f.definition -> 'schedule' ->> 'cron' as cron, f.definition -> 'schedule' ->> 'timezone' as timezone
from feeds f
left join lateral (select status, finished_at from runs where feed_id = f.id order by id desc limit 1) last on true
order by f.kind, f.name;
