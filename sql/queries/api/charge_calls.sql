-- Charges many calls in one durable commit. Under the lock on an account's period, calls are charged in the order given as long as
-- the account may use as much; so whatever runs elsewhere, tokens_used never passes tokens_allowed. Give an account's calls cheapest
-- first, so that none is refused that would still have fitted. Calls that are alike are one row. Returns, a row a row, how many of
-- its calls are charged, what the account has used with them and what it may; none for accounts whose period is over or
-- whose terms have just changed: roll it, where it is due, and charge again.
-- $1 account ids (ordered: locks are taken in this order everywhere), $2 metering keys, $3 modes, $4 tokens a call, over 0, $5 calls,
-- $6 tokens of the account's rows before this one
with decided as materialized (
  select n, p.account_id, p.period_start, endpoint, mode, tokens, p.tokens_used + before as used_before, a.overage_allowed, a.payment_method,
    a.tokens_allowed,
    case when a.tokens_allowed is null then calls else greatest(0, least(calls, (a.tokens_allowed - p.tokens_used - before) / tokens)) end::int
      as charged
  from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::bigint[]) with ordinality
    as c (account_id, endpoint, mode, tokens, calls, before, n)
  join usage_periods p on p.account_id = c.account_id
  -- What the account was read as may have changed while its period was waited for: the lock looks at these again, on the period.
  join accounts a on a.id = p.account_id and a.period_start = p.period_start and a.terms = p.terms
  where p.period_end is null and a.period_end > now()
  order by n
  for update of p
), totals as (
  update usage_periods p set tokens_used = p.tokens_used + c.tokens
  from (select account_id, period_start, sum(tokens * charged) as tokens from decided where charged > 0 group by 1, 2) as c
  where p.account_id = c.account_id and p.period_start = c.period_start
), daily as (
  insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
  select account_id, period_start, (greatest(now(), period_start) at time zone 'UTC')::date, endpoint, mode, sum(tokens * charged), sum(charged)
  from decided where charged > 0
  group by account_id, period_start, endpoint, mode
  on conflict (account_id, period_start, day, endpoint, mode) do update
  set tokens = usage_daily.tokens + excluded.tokens, calls = usage_daily.calls + excluded.calls
)
-- What is charged last fits, so all before it was charged: used_before is exact wherever `charged` is over 0.
select n, charged, overage_allowed, payment_method, used_before + tokens * charged as tokens_used, tokens_allowed
from decided
-- Whatever the server's default: the response leaves only after the commit is on disk.
where (select set_config('synchronous_commit', 'on', true)) = 'on';
