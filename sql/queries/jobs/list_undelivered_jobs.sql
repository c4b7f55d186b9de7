-- Jobs that may still have to be handed to the queue, oldest first.
-- $1 ids uuid[] (null for every open job older than a few seconds: the sweep after a crash)
select id, name, status
from jobs
where status in ('queued', 'running')
  and ($1::uuid[] is null and queued_at < clock_timestamp() - interval '5 seconds' or id = any ($1))
order by queued_at
limit 10000
