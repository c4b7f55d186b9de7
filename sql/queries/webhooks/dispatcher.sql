-- name: lock_position
-- The last change that messages were created for. Returns no row while another worker is creating messages.
select seq from webhook_position for update skip locked;

-- name: make_messages
-- Creates messages for all changes after a number, one for each type, county, and transaction, with their
-- deliveries. Changes are numbered in the order of commits, so no change with a smaller number can appear
-- later. An account whose keys are refused gets no deliveries, but its messages can be replayed later.
-- Webhooks that follow a saved search get their messages from the job that follows searches.
with head as (
  select max(seq) as seq from changes
),
moved as (
  update webhook_position p set seq = head.seq from head where head.seq > p.seq
),
told as (
  select c.type, c.fips, c.at, c.run_id, min(c.seq) as seq, max(c.seq) as last_seq, count(*) as changes
  from changes c
  where c.seq > :after and c.seq <= (select seq from head)
    and c.type = any (array(select distinct unnest(types) from webhooks where search_id is null))
  group by c.type, c.fips, c.at, c.run_id
),
made as (
  insert into webhook_messages (seq, type, fips, at, data)
  select t.seq, t.type, t.fips, t.at, jsonb_build_object(
    'seq', t.seq, 'last_seq', t.last_seq, 'changes', t.changes, 'run_id', t.run_id, 'fips', lpad(t.fips::text, 5, '0')
  )
  from told t
  where exists (
    select true from webhooks w where w.search_id is null and t.type = any (w.types) and (w.fips is null or w.fips = t.fips)
  )
  returning id, type, fips
),
posted as (
  insert into webhook_deliveries (webhook_id, message_id, created_at, next_at)
  select w.id, m.id, now(), now()
  from made m
  join webhooks w on w.search_id is null and m.type = any (w.types) and (w.fips is null or w.fips = m.fips)
  join accounts a on a.id = w.account_id
  where w.enabled and a.pro and a.disabled_at is null
  returning true
)
select count(*)::int as deliveries from posted;

-- name: claim_deliveries
-- Claims due deliveries, up to `each` per webhook, so that no one else delivers them for `lease` seconds.
-- `failing`: true to claim only deliveries of failing webhooks, false to claim only those of the others.
-- `busy`: webhooks that already have enough deliveries in progress.
with due as materialized (
  select d.ctid, d.next_at, w.url
  from webhooks w
  join accounts a on a.id = w.account_id and a.pro and a.disabled_at is null
  cross join lateral (
    select d.ctid, d.next_at
    from webhook_deliveries d
    where d.webhook_id = w.id and d.state = 'pending' and d.next_at <= now()
      and (d.leased_until is null or d.leased_until <= now())
    order by d.next_at
    limit :each
  ) d
  where w.enabled and (w.failing_since is not null) = :failing and w.id <> all (:busy::uuid[])
  order by d.next_at
  limit :limit
),
-- If two workers check the same row, only one of them claims it.
free as (
  select d.ctid, due.url
  from due
  join webhook_deliveries d on d.ctid = due.ctid
  where d.state = 'pending' and (d.leased_until is null or d.leased_until <= now())
  for update of d skip locked
),
taken as (
  update webhook_deliveries d
  set turn = d.turn + 1, leased_until = now() + :lease * interval '1 second'
  from free
  where d.ctid = free.ctid
  returning d.webhook_id, d.message_id, d.turn, d.attempts, free.url
)
select t.webhook_id, t.message_id, t.turn, t.attempts, t.url, m.type, m.seq, m.fips, m.at, m.data, now() as now,
  array(
    select s.secret from webhook_secrets s
    where s.webhook_id = t.webhook_id and (s.expires_at is null or s.expires_at > now())
    order by s.created_at desc
  ) as secrets
from taken t
join webhook_messages m on m.id = t.message_id
order by m.seq;

-- name: record_attempts
-- Records the results of attempts. The arrays are parallel: one element per attempt. `waits`: seconds until
-- the next attempt, or null for none. Turns off a webhook that returned 410. When a message runs out of
-- attempts, also turns off its webhook if that has had no successful delivery for `days` days. The `given`
-- query hides the number of rows from the planner, which would otherwise read the whole table for a thousand
-- rows.
with given as (
  select set_config('plat.actor', 'plat', true), :webhook_ids::uuid[] as webhook_ids, :message_ids::uuid[] as message_ids,
    :turns::int[] as turns, :statuses::int[] as statuses, :errors::text[] as errors, :waits::float8[] as waits
),
result as (
  select r.*
  from given g, unnest(g.webhook_ids, g.message_ids, g.turns, g.statuses, g.errors, g.waits)
    as r (webhook_id, message_id, turn, status, error, wait)
),
recorded as (
  update webhook_deliveries d
  set attempts = d.attempts + 1, last_at = now(), status = r.status, error = r.error,
    state = case when r.error is null then 'delivered' when r.wait is null then 'failed' else 'pending' end,
    leased_until = null,
    next_at = now() + coalesce(r.wait, 0) * interval '1 second'
  from result r
  where d.webhook_id = r.webhook_id and d.message_id = r.message_id and d.turn = r.turn
  returning d.webhook_id, d.state, d.status
),
verdict as (
  select webhook_id, bool_or(state = 'delivered') as succeeded, bool_or(status = 410) as gone, bool_or(state = 'failed') as failed
  from recorded
  group by webhook_id
),
next as (
  select v.webhook_id, case when not v.succeeded then coalesce(w.failing_since, now()) end as failing_since,
    case
      when v.gone then 'gone'
      when v.failed and not v.succeeded and w.failing_since < now() - :days * interval '1 day' then 'failing'
    end as because
  from verdict v
  join webhooks w on w.id = v.webhook_id
)
update webhooks w
set failing_since = n.failing_since, enabled = w.enabled and n.because is null,
  disabled_because = coalesce(n.because, w.disabled_because)
from next n
where w.id = n.webhook_id and (w.failing_since is distinct from n.failing_since or n.because is not null);

-- name: summarise_deliveries
-- Figures for operators: pending and failed deliveries, webhooks that are failing or that Plat turned off,
-- how long the oldest due delivery to other webhooks has waited, and the age of the oldest change without
-- messages. Times are 0 seconds if there are none.
select
  (select count(*)::int from webhook_deliveries where state = 'pending') as pending,
  (select count(*)::int from webhook_deliveries where state = 'failed') as failed,
  (select count(*)::int from webhooks where enabled and failing_since is not null) as failing,
  (select count(*)::int from webhooks where disabled_because is not null) as switched_off,
  coalesce(greatest(0, extract(epoch from now() - (
    select min(d.next_at) from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.state = 'pending' and d.next_at <= now() and (d.leased_until is null or d.leased_until <= now())
      and w.enabled and w.failing_since is null
  ))), 0)::float8 as overdue_seconds,
  coalesce(greatest(0, extract(epoch from now() - (
    select c.at from changes c where c.seq > (select seq from webhook_position) order by c.seq limit 1
  ))), 0)::float8 as behind_seconds;

-- name: mend_clock
-- Corrects deliveries after the clock was set back: a delivery that would wait longer than the longest pause
-- (1 day) or lease becomes due now.
update webhook_deliveries set next_at = now(), leased_until = null
where state = 'pending' and (next_at > now() + interval '1 day 1 minute' or leased_until > now() + interval '1 hour');

-- name: delete_old_messages
-- Deletes a batch of messages older than `days` days, with their deliveries.
delete from webhook_messages
where id in (select id from webhook_messages where at < now() - :days * interval '1 day' order by at limit 10000);

-- name: list_all_webhooks
-- All accounts' webhooks, with their pending, failed, and successful deliveries. `webhook_id`: null for all.
select w.id, a.name as account, w.url, w.types, w.fips, w.enabled, w.disabled_because, w.failing_since, w.created_at,
  d.pending, d.failed, d.delivered
from webhooks w
join accounts a on a.id = w.account_id
cross join lateral (
  select count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'failed')::int as failed,
    count(*) filter (where state = 'delivered')::int as delivered
  from webhook_deliveries d
  where d.webhook_id = w.id
) d
where :webhook_id::uuid is null or w.id = :webhook_id
order by a.name, w.created_at;

-- name: switch_webhook
-- Turns a webhook on or off. `by`: the operator. Returns no row if the webhook doesn't exist.
update webhooks w
set enabled = :enabled, disabled_because = case when not :enabled then disabled_because end,
  failing_since = case when :enabled then null else failing_since end
from set_config('plat.actor', :by, true) as actor
where w.id = :webhook_id
returning w.id;
