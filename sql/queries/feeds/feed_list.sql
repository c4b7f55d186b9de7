-- name: list_feeds
-- Every feed that has runs, with its last run and the last run that changed data.
select f.name, f.kind, f.as_of, last.status, last.finished_at,
  (select max(finished_at) from runs where feed_id = f.id and status in ('merged', 'unchanged')) as last_merged,
  f.definition -> 'schedule' ->> 'cron' as cron, f.definition -> 'schedule' ->> 'timezone' as timezone
from feeds f
left join lateral (select status, finished_at from runs where feed_id = f.id order by id desc limit 1) last on true
order by f.kind, f.name;

-- name: list_last_good_runs
-- When each feed last merged or found no changes, in seconds since 1970, not counting undos. For a feed
-- without such a run, the time when Plat first ran it. Scheduled feeds come first. Within each group, the
-- earliest time comes first. Returns up to 500 feeds. `scheduled`: names of scheduled feeds
select f.name as feed, extract(epoch from coalesce(good.at, f.created_at))::float8 as since
from feeds f
left join lateral (
  -- Reads only the newest runs. Runs end in about the order of their ids, and a daily feed soon has hundreds.
  select max(finished_at) as at
  from (
    select finished_at from runs
    where feed_id = f.id and status in ('merged', 'unchanged') and undoes is null
    order by id desc limit 5
  ) newest
) good on true
order by f.name = any(:scheduled::text[]) desc, since, f.name
limit 500

-- name: find_feed
-- A feed by name, with the kind of data that it loads.
select id, kind from feeds where name = :name

-- name: find_feed_of_run
-- The feed of a run.
select feed_id from runs where id = :run_id
