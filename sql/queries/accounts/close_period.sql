-- Ends the current period of an account now, with the terms that it has. $1 account id
update usage_periods p
set period_end = greatest(now(), p.period_start), tier = a.tier, tokens_included = a.tokens_included, overage_cents_per_1000 = a.overage_cents_per_1000
from accounts a
where a.id = $1 and p.account_id = a.id and p.period_start = a.period_start;
