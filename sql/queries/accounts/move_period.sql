-- Corrects the start of a period; its usage stays with it. $1 account id, $2 old start, $3 new start
with days as (
  update usage_daily set period_start = $3 where account_id = $1 and period_start = $2
)
update usage_periods set period_start = $3 where account_id = $1 and period_start = $2;
