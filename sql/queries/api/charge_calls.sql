-- Charges many calls in one durable commit. Under the lock on an account's period, calls are charged in the order given
-- as long as the account may use as much; so whatever runs elsewhere, tokens_used never passes tokens_allowed. Give an
-- account's calls cheapest first, so that none is refused that would still have fitted. Returns a row a call, except
-- for accounts whose period is over: roll it and charge them again.
-- $1 account ids (ordered: locks are taken in this order everywhere), $2 metering keys, $3 modes, $4 tokens
with durable as materialized (
  -- Whatever the server's default: the response leaves only after the commit is on disk.
  select set_config('synchronous_commit', 'on', true)
), asked as (
  select n, account_id, endpoint, mode, tokens, sum(tokens) over (partition by account_id order by n) as running
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) with ordinality as c (account_id, endpoint, mode, tokens, n)
), locked as (
  select p.account_id, p.period_start, p.tokens_used, a.tokens_allowed, a.overage_allowed, a.payment_method
  from usage_periods p
  join accounts a on a.id = p.account_id and a.period_start = p.period_start
  where p.account_id = any($1::uuid[]) and a.period_end > now()
  order by p.account_id
  for update of p
), decided as materialized (
  select asked.*, period_start, overage_allowed, payment_method,
    tokens_allowed is null or tokens_used + running <= tokens_allowed as charged
  from asked join locked using (account_id)
), totals as (
  update usage_periods p set tokens_used = p.tokens_used + c.tokens
  from (select account_id, period_start, sum(tokens) as tokens from decided where charged group by 1, 2) as c
  where p.account_id = c.account_id and p.period_start = c.period_start
  returning p.account_id, p.tokens_used
), daily as (
  insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
  select account_id, period_start, (now() at time zone 'UTC')::date, endpoint, mode, sum(tokens), count(*)
  from decided where charged
  group by account_id, period_start, endpoint, mode
  on conflict (account_id, period_start, day, endpoint, mode) do update
  set tokens = usage_daily.tokens + excluded.tokens, calls = usage_daily.calls + excluded.calls
)
select d.n, d.charged, d.overage_allowed, d.payment_method, t.tokens_used
from durable, decided d
left join totals t on t.account_id = d.account_id;
