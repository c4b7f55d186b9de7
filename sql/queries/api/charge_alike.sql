-- Charges calls that differ in nothing in one durable commit, if the account may use as much as they cost together: what most batches
-- are, at two thirds of the cost of charge_calls. No row, and nothing charged, where it may not, or where its period is over or its terms
-- have just changed: charge_calls decides these.
-- $1 account id, $2 metering key, $3 mode, $4 tokens a call, over 0, $5 calls
with charged as (
  update usage_periods p set tokens_used = p.tokens_used + $4::int * $5::bigint
  from accounts a
  where p.account_id = $1 and p.period_end is null and a.id = $1 and a.period_start = p.period_start and a.period_end > now()
    -- What the account was read as may have changed while its period was waited for: the update looks at these again, on the period.
    and p.terms = a.terms and (a.tokens_allowed is null or p.tokens_used + $4::int * $5::bigint <= a.tokens_allowed)
  returning p.account_id, p.period_start, p.tokens_used, a.tokens_allowed, a.overage_allowed, a.payment_method
), daily as (
  insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
  select account_id, period_start, (greatest(now(), period_start) at time zone 'UTC')::date, $2::text, $3::text, $4::int * $5::bigint, $5::bigint
  from charged
  on conflict (account_id, period_start, day, endpoint, mode) do update
  set tokens = usage_daily.tokens + excluded.tokens, calls = usage_daily.calls + excluded.calls
)
select 1 as n, $5::int as charged, overage_allowed, payment_method, tokens_used, tokens_allowed
from charged
-- Whatever the server's default: the response leaves only after the commit is on disk.
where (select set_config('synchronous_commit', 'on', true)) = 'on';
