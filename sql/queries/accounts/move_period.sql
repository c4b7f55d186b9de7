-- Corrects the start of an account's current period, before the account itself has it; its usage stays with it.
-- $1 account id, $2 new start
with days as (
  update usage_daily d set period_start = $2 from accounts a
  where a.id = $1 and d.account_id = a.id and d.period_start = a.period_start
)
update usage_periods p set period_start = $2 from accounts a
where a.id = $1 and p.account_id = a.id and p.period_start = a.period_start;
