-- How far the chunks of a plan are.
-- $1 first chunk bigint, $2 last chunk bigint, $3 timestamptz before which none of their jobs was enqueued
-- Returns: waiting (parcels), open and failed (jobs), error (of one that failed, or null)
select
  (select count(*)::int from attributes_dirty where chunk between $1 and $2) as waiting,
  count(*) filter (where status in ('queued', 'running'))::int as open,
  count(*) filter (where status = 'failed')::int as failed,
  min(error) filter (where status = 'failed') as error
from jobs
where name = 'attributes.chunk' and queued_at >= $3 and (payload ->> 'chunk')::bigint between $1 and $2
