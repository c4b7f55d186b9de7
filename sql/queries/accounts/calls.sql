-- name: admit_calls
-- Admits a batch of calls within their accounts' limits. Calls that are not skip traces go first. Each
-- account has a bucket of up to `burst` calls, stored in 60-millionths of a call, which gains per_minute/60
-- calls per second. Every call uses the bucket. Skip traces also have their own limit per sliding minute.
-- `account_ids` is sorted, to prevent deadlocks. Also returns the number of seconds until another skip trace
-- is available (0 if one is available now), and until all are. `calls`: number of calls that are not skip
-- traces.
insert into rate_buckets as b (
  account_id, per_minute, burst, skip_trace_per_minute, level, plain_admitted, skip_traces_admitted, updated_at, skip_traces
)
select account_id, per_minute, burst, skip_trace_per_minute, 60000000::bigint * (burst - plain - traces), plain, traces, now(),
  array_fill(now(), array[traces])
from unnest(:account_ids::uuid[], :calls::int[], :skip_traces::int[], :calls_per_minute::int[], :bursts::int[], :skip_traces_per_minute::int[])
  as asked (account_id, calls, skip_traces, per_minute, burst, skip_trace_per_minute),
  lateral (select least(calls, burst) as plain) as first,
  lateral (select least(skip_traces, skip_trace_per_minute, burst - plain) as traces) as second
on conflict (account_id) do update set (
  per_minute, burst, skip_trace_per_minute, level, plain_admitted, skip_traces_admitted, updated_at, skip_traces
) = (
  -- `excluded` contains the number of calls that a full bucket would admit. A bucket can't admit more,
  -- however many were requested.
  select excluded.per_minute, excluded.burst, excluded.skip_trace_per_minute, full_level - 60000000::bigint * (plain + traces),
    plain, traces, moment, kept || array_fill(moment, array[traces])
  -- A statement that waited for the row lock can have an earlier now() than the one it waited for.
  from (select greatest(b.updated_at, now()) as moment offset 0) as clock,
    lateral (
      select least(
        60000000::bigint * excluded.burst,
        b.level + extract(epoch from moment - b.updated_at) * 1000000 * excluded.per_minute
      )::bigint as full_level
      offset 0
    ) as refilled,
    -- The array is sorted by time, so this drops skip traces that are at least a minute old.
    lateral (select b.skip_traces[1 + width_bucket(moment - interval '1 minute', b.skip_traces):] as kept) as within,
    lateral (select least(excluded.plain_admitted, full_level / 60000000)::int as plain offset 0) as first,
    lateral (
      select greatest(0, least(
        excluded.skip_traces_admitted, excluded.skip_trace_per_minute - cardinality(kept), full_level / 60000000 - plain
      ))::int as traces
      offset 0
    ) as second
)
returning account_id, level, plain_admitted, skip_traces_admitted, cardinality(skip_traces) as skip_traces,
  case when cardinality(skip_traces) < skip_trace_per_minute then 0
    else 60 + extract(epoch from skip_traces[1 + cardinality(skip_traces) - skip_trace_per_minute] - updated_at)::float8 end as skip_trace_in,
  case when skip_traces = '{}' then 0
    else 60 + extract(epoch from skip_traces[cardinality(skip_traces)] - updated_at)::float8 end as skip_traces_in;

-- name: charge_calls
-- Charges a batch of calls in one durable commit. It locks the accounts' periods, so that tokens_used never
-- exceeds tokens_allowed. Calls with the same account, endpoint, mode, and price share one input row, and
-- each account's cheapest rows come first. Returns no row for an account whose period has ended or whose
-- terms have just changed. In that case, roll the period and charge again. Held tokens count as used.
-- `account_ids`: sorted; `tokens`: tokens per call, more than 0; `each`: the number of calls that these
-- tokens pay for. It is more than 1 only for tiles, in up to one row per account. `tiles_paid` keeps the
-- remainder.
with locked as materialized (
  select n, p.account_id, p.period_start, endpoint, mode, tokens, each, calls, p.tokens_used + p.tokens_held as used,
    case when each > 1 then p.tiles_paid else 0 end as paid, a.overage_allowed, a.payment_method, a.tokens_allowed
  from unnest(:account_ids::uuid[], :metering_keys::text[], :modes::text[], :tokens::int[], :each::int[], :calls::int[]) with ordinality
    as c (account_id, endpoint, mode, tokens, each, calls, n)
  join usage_periods p on p.account_id = c.account_id
  -- The account may have changed while this statement waited for its period. After PostgreSQL gets the lock,
  -- it rechecks these conditions with the new version of the period's row.
  join accounts a on a.id = p.account_id and a.period_start = p.period_start and a.terms = p.terms
  where p.period_end is null and a.period_end > now()
  order by n
  for update of p
), priced as (
  -- `used_before`: what the account has used if all of its earlier rows are charged.
  select *, used + coalesce(sum(tokens * ((greatest(0, calls - paid) + each - 1) / each))
    over (partition by account_id order by n rows between unbounded preceding and 1 preceding), 0) as used_before
  from locked
), admitted as (
  select *, case when tokens_allowed is null then calls
    else least(calls, paid + each * greatest(0, (tokens_allowed - used_before) / tokens)) end::int as charged
  from priced
), decided as materialized (
  select *, tokens * ((greatest(0, charged - paid) + each - 1) / each) as spent from admitted
), totals as (
  update usage_periods p
  set tokens_used = p.tokens_used + c.spent, tiles_paid = coalesce(c.tiles_paid, p.tiles_paid)
  from (
    select account_id, period_start, sum(spent) as spent, max(paid + spent / tokens * each - charged) filter (where each > 1) as tiles_paid
    from decided where charged > 0 group by 1, 2
  ) as c
  where p.account_id = c.account_id and p.period_start = c.period_start
), daily as (
  insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
  select account_id, period_start, (greatest(now(), period_start) at time zone 'UTC')::date, endpoint, mode, sum(spent), sum(charged)
  from decided where charged > 0
  group by account_id, period_start, endpoint, mode
  on conflict (account_id, period_start, day, endpoint, mode) do update
  set tokens = usage_daily.tokens + excluded.tokens, calls = usage_daily.calls + excluded.calls
)
-- If a row is charged, all of the account's earlier rows were charged in full, so used_before is exact when
-- `charged` is more than 0.
select n, paid, charged, overage_allowed, payment_method, used_before + spent as tokens_used, tokens_allowed
from decided
-- Overrides the server's default: the response is sent only after the commit is on disk.
where (select set_config('synchronous_commit', 'on', true)) = 'on';

-- name: claim_call
-- Returns a row if this attempt should handle the call, because no response is stored and no other attempt is
-- running. `made`: what an earlier attempt created. `fingerprint`: fingerprint of the request.
-- `milliseconds`: how long other attempts have to wait.
insert into idempotent_calls as c (account_id, key, fingerprint, claim, claimed_until, created_at)
values (:account_id, :key, :fingerprint, :attempt, now() + :milliseconds::int * interval '1 ms', now())
on conflict (account_id, key) do update
set fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
  created_at = excluded.created_at, status = null, body = null, people = null, kept_hours = default,
  made = case when c.status is null and c.created_at > now() - interval '24 hours' then c.made end
where case
  when c.status is not null then c.created_at <= now() - c.kept_hours * interval '1 hour'
  -- A different request must not continue from what an earlier attempt created.
  else c.claimed_until <= now()
    and (c.made is null or c.fingerprint = excluded.fingerprint or c.created_at <= now() - interval '24 hours')
end
returning made;

-- name: count_quote
-- Adds a quote to an account's daily count. A process whose clock is behind doesn't reset the count.
insert into quote_counts as q (account_id, day, quotes)
values (:account_id, :day, 1)
on conflict (account_id) do update
set quotes = case when q.day < excluded.day then 1 else q.quotes + 1 end, day = greatest(q.day, excluded.day)
returning quotes;

-- name: delete_old_answers
-- Deletes calls with an Idempotency-Key whose responses have expired. Skips rows that another process is
-- deleting.
delete from idempotent_calls where (account_id, key) in (
  select account_id, key from idempotent_calls
  where created_at <= now() - interval '24 hours' and created_at <= now() - kept_hours * interval '1 hour'
    and (status is not null or claimed_until <= now())
  limit 1000 for update skip locked
);

-- name: delete_old_buckets
-- Deletes buckets that no one has used for a day and that are full again. A missing row is treated as a full
-- bucket. Skips rows that a call is using.
delete from rate_buckets where account_id in (
  select account_id from rate_buckets
  where updated_at < now() - interval '1 day'
    and level + extract(epoch from now() - updated_at) * 1000000 * per_minute >= 60000000::bigint * burst
  for update skip locked
);

-- name: identify_keys
-- The keys and access tokens with these hashes, with their accounts and usage. Updates when a key was last
-- used, up to once per minute. Skips locked rows, so that no call waits for this update and two processes
-- can't deadlock.
with found as (
  select key_hash, id, scopes, origins, expires_at, revoked_at is not null as revoked, account_id
  from api_keys
  where key_hash = any(:hashes::bytea[])
  union all
  select id_hash, null, string_to_array(payload ->> 'scope', ' '), '{}'::text[], expires_at, false, account_id
  from oauth_records t
  where model = 'AccessToken' and id_hash = any(:hashes::bytea[]) and account_id is not null
    -- A token may be stored while its grant is being revoked, so check the grant too.
    and exists (select from oauth_records g where g.model = 'Grant' and g.id_hash = t.grant_hash and g.account_id = t.account_id)
), touched as (
  update api_keys set last_used_at = now()
  where id in (
    select id from api_keys
    where key_hash = any(:hashes::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now())
      and (last_used_at is null or last_used_at < now() - interval '1 minute')
    for no key update skip locked
  )
)
select k.key_hash as "keyHash", k.id as "keyId", k.scopes, k.origins, k.expires_at as "expiresAt", k.revoked,
  a.disabled_at is not null as disabled, a.id, a.company_id as "companyId", a.pro, a.tier,
  coalesce(t.direct, false) as direct, a.invoice_paid as "invoicePaid", a.overage_allowed as "overageAllowed",
  a.payment_method as "paymentMethod", a.tokens_allowed as "tokensAllowed", coalesce(u.tokens_used + u.tokens_held, 0) as "tokensUsed",
  coalesce(u.tiles_paid, 0) as "tilesPaid",
  a.rate_per_minute as "ratePerMinute", a.rate_burst as "rateBurst", a.skip_trace_per_minute as "skipTracePerMinute",
  a.skip_trace as "skipTrace", a.period_end as "periodEnd"
from found k
join accounts a on a.id = k.account_id
left join tiers t on t.name = a.tier
left join usage_periods u on u.account_id = a.id and u.period_start = a.period_start;

-- name: keep_answer
-- Stores the response to a call. Returns no row if another attempt has taken over. `people`: hashes of the
-- people in the response, in the form that the suppression list uses, or null if there are none.
update idempotent_calls set status = :status, body = :body, people = :people::bytea[], kept_hours = :hours
where account_id = :account_id and key = :key and claim = :attempt and status is null
returning claim;

-- name: list_due_accounts
-- Lists accounts whose period has ended, starting with those that ended longest ago, up to a limit.
select id from accounts where period_end <= now() order by period_end limit 1000;

-- name: note_made
-- Records what an attempt has created. Returns no row if another attempt has taken over.
update idempotent_calls set made = :made::jsonb
where account_id = :account_id and key = :key and claim = :attempt and status is null
returning claim;

-- name: read_call
-- Reads a stored call with an Idempotency-Key.
select fingerprint, status, body, people from idempotent_calls where account_id = :account_id and key = :key;

-- name: list_kept_answers
-- The stored responses to calls with these keys, by any account of a company. The newest one per key.
select distinct on (key) key, body, people, created_at
from idempotent_calls
where account_id in (select id from accounts where company_id = :company_id) and key = any(:keys) and status is not null
  and created_at > now() - kept_hours * interval '1 hour'
order by key, created_at desc;

-- name: read_cursor_secret
-- The installation's key that signs cursors.
select secret from cursor_secret;

-- name: read_job_totals
-- Totals of finished jobs since the installation started.
select name, outcome, jobs, seconds, rows, le from job_totals order by name, outcome;

-- name: release_call
-- Releases a call whose attempt failed. The next attempt starts over, but reuses what this one created.
with released as (
  update idempotent_calls set claimed_until = now()
  where account_id = :account_id and key = :key and claim = :attempt and status is null and made is not null
)
delete from idempotent_calls
where account_id = :account_id and key = :key and claim = :attempt and status is null and made is null;

-- name: renew_claim
-- Extends the claim of a running attempt. `milliseconds`: how long other attempts have to wait.
update idempotent_calls set claimed_until = now() + :milliseconds::int * interval '1 ms'
where account_id = :account_id and key = :key and claim = :attempt and status is null;

-- name: read_account
-- Reads an account that is not disabled, with its usage, in the same format as identify_keys.
select a.id, a.company_id as "companyId", a.pro, a.tier, coalesce(t.direct, false) as direct, a.invoice_paid as "invoicePaid",
  a.overage_allowed as "overageAllowed", a.payment_method as "paymentMethod", a.tokens_allowed as "tokensAllowed",
  coalesce(u.tokens_used + u.tokens_held, 0) as "tokensUsed", coalesce(u.tiles_paid, 0) as "tilesPaid", a.rate_per_minute as "ratePerMinute", a.rate_burst as "rateBurst",
  a.skip_trace_per_minute as "skipTracePerMinute", a.skip_trace as "skipTrace", a.period_end as "periodEnd"
from accounts a
left join tiers t on t.name = a.tier
left join usage_periods u on u.account_id = a.id and u.period_start = a.period_start
where a.id = :account_id and a.disabled_at is null;
