-- The usage of an account's current period; `over` when that has to be rolled first. Without a contract, nulls and zeros.
-- $1 account id
select a.tier, coalesce(p.tokens_used, 0) as tokens_used, case when a.tier is null then 0 else a.tokens_included end as tokens_included,
  o.tokens_overage, round(o.tokens_overage * a.overage_cents_per_1000::numeric / 1000)::bigint as overage_amount_cents,
  a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over
from accounts a
left join usage_periods p on p.account_id = a.id and p.period_start = a.period_start
cross join lateral (select greatest(0, coalesce(p.tokens_used, 0) - a.tokens_included) as tokens_overage) as o
where a.id = $1;
