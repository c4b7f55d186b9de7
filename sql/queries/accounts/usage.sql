-- name: delete_old_usage
-- Deletes the daily usage of periods that ended more than three years ago. The billed totals stay in
-- usage_periods.
delete from usage_daily d
using usage_periods p
where p.account_id = d.account_id and p.period_start = d.period_start and p.period_end < now() - interval '3 years';

-- name: list_days
-- An account's usage in a period by UTC day, endpoint, and mode. `start`: start of the period, to the
-- millisecond.
select day as date, endpoint, mode, tokens, calls from usage_daily
where account_id = :account_id and period_start >= :start and period_start < :start::timestamptz + interval '1 ms'
order by day, endpoint, mode;

-- name: list_periods
-- The periods of an account, newest first. The overage price is rounded to the nearest cent, and half a cent
-- is rounded up.
select p.period_start, coalesce(p.period_end, a.period_end) as period_end,
  case when p.period_end is null then a.tier else p.tier end as tier,
  p.tokens_used, t.tokens_included, o.tokens_overage, t.cents as overage_cents_per_1000,
  round(o.tokens_overage * t.cents::numeric / 1000)::bigint as overage_amount_cents,
  p.period_end is null as current
from usage_periods p
join accounts a on a.id = p.account_id
cross join lateral (
  select case when p.period_end is null then a.tokens_included else p.tokens_included end as tokens_included,
    case when p.period_end is null then a.overage_cents_per_1000 else p.overage_cents_per_1000 end as cents
) as t
cross join lateral (select greatest(0, p.tokens_used - t.tokens_included) as tokens_overage) as o
where p.account_id = :account_id
order by p.period_start desc;

-- name: read_breakdown
-- The usage in an account's current period by UTC day (as days since 1970-01-01), endpoint, and mode, in the
-- order of the primary key. Each column is one string with its values separated by spaces, which takes half
-- the bytes of JSON. `over`: whether the period has to be rolled first.
select a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over, r.*
from accounts a, lateral (
  select string_agg((day - date '1970-01-01')::text, ' ') as days,
    string_agg(endpoint || '","mode":"' || mode, ' ') as endpoints, string_agg(tokens::text, ' ') as tokens
  from (
    select day, endpoint, mode, tokens from usage_daily
    where account_id = a.id and period_start = a.period_start
    order by day, endpoint, mode
  ) as records
) as r
where a.id = :account_id;

-- name: read_totals
-- Totals of an account's current period. `over`: whether the period has to be rolled first. If there is no
-- contract, values are null or 0.
select a.tier, coalesce(p.tokens_used, 0) as tokens_used, case when a.tier is null then 0 else a.tokens_included end as tokens_included,
  o.tokens_overage, round(o.tokens_overage * a.overage_cents_per_1000::numeric / 1000)::bigint as overage_amount_cents,
  a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over
from accounts a
left join usage_periods p on p.account_id = a.id and p.period_start = a.period_start
cross join lateral (select greatest(0, coalesce(p.tokens_used, 0) - a.tokens_included) as tokens_overage) as o
where a.id = :account_id;
