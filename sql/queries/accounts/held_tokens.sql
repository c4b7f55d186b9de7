-- name: hold_tokens
-- Holds tokens of an account's period. No row where it may not use as many, or its period has to be rolled
-- first.
update usage_periods p set tokens_held = p.tokens_held + :tokens::bigint
from accounts a
where p.account_id = :account_id and p.period_end is null and a.id = :account_id and a.period_start = p.period_start
  and a.period_end > now() and p.terms = a.terms
  and (a.tokens_allowed is null or p.tokens_used + p.tokens_held + :tokens <= a.tokens_allowed)
returning p.account_id;

-- name: release_tokens
-- Gives back tokens that were held.
update usage_periods set tokens_held = tokens_held - :tokens::bigint
where account_id = :account_id and period_end is null;

-- name: charge_held
-- Charges what tokens were held for, and gives the rest of them back. No row where more is to be charged than
-- the account may use, or its period has to be rolled first. `held`: tokens that were held.
with charged as (
  update usage_periods p
  set tokens_used = p.tokens_used + :tokens::bigint, tokens_held = p.tokens_held - :held::bigint
  from accounts a
  where p.account_id = :account_id and p.period_end is null and a.id = :account_id and a.period_start = p.period_start
    and a.period_end > now() and p.terms = a.terms
    and (a.tokens_allowed is null or p.tokens_used + p.tokens_held - :held + :tokens <= a.tokens_allowed)
  returning p.account_id, p.period_start
), daily as (
  insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
  select account_id, period_start, (greatest(now(), period_start) at time zone 'UTC')::date, :metering_key::text,
    :mode::text, :tokens, 1
  from charged
  where :tokens > 0
  on conflict (account_id, period_start, day, endpoint, mode) do update
  set tokens = usage_daily.tokens + excluded.tokens, calls = usage_daily.calls + excluded.calls
)
select account_id from charged;

-- name: read_quota
-- What an account may still use, for the error that says so.
select a.overage_allowed as "overageAllowed", a.payment_method as "paymentMethod",
  coalesce(a.tokens_allowed - p.tokens_used - p.tokens_held, 0) as "left"
from accounts a
left join usage_periods p on p.account_id = a.id and p.period_start = a.period_start
where a.id = :account_id;
