-- The periods of an account, the newest first. Overage costs its price to the cent, half a cent rounded up.
-- $1 account id
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
where p.account_id = $1
order by p.period_start desc;
