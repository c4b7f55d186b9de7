-- Adds a job to the outbox, or finds the waiting one that would do the same work.
-- Part of the caller's transaction: the job exists exactly when the work that asked for it was committed. A waiting one is
-- held until then, so that it cannot begin too early and miss that work.
-- $1 name text, $2 key text, $3 payload jsonb
-- Returns: id, added
with added as (
  insert into jobs (name, key, payload)
  values ($1, $2, $3)
  on conflict (name, key) where status = 'queued' do nothing
  returning id
),
waiting as (
  select id
  from jobs
  where name = $1 and key = $2 and status = 'queued'
  for share
)
select id, true as added
from added
union all
select id, false
from waiting
where not exists (select from added)
limit 1
