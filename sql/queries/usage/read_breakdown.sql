-- The usage of an account's current period by UTC day, endpoint and mode, in the order of the primary key; `over` when the period has to
-- be rolled first. $1 account id
select a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over,
  (
    select coalesce(json_agg(json_build_object('date', day, 'endpoint', endpoint, 'mode', mode, 'tokens', tokens)), '[]')
    from (
      select day, endpoint, mode, tokens from usage_daily
      where account_id = $1 and period_start = a.period_start
      order by day, endpoint, mode
    ) as days
  ) as records
from accounts a
where a.id = $1;
