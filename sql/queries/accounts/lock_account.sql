-- An account, for a change: its current period with what that has used, and the end of the last one that is closed.
-- $1 id, $2 who changes it
select a.id, a.tier, a.company_id, a.user_id, a.tokens_included, a.overage_cents_per_1000, a.overage_allowed, a.payment_method,
  a.period_start, a.period_end,
  coalesce((select tokens_used from usage_periods where account_id = a.id and period_start = a.period_start), 0) as tokens_used,
  (select max(period_end) from usage_periods where account_id = a.id) as closed_until, now() as now,
  set_config('plat.actor', $2, true) as actor
from accounts a where a.id = $1
-- Not against charges, whose first record of a day refers to the account while they hold its period.
for no key update of a;
