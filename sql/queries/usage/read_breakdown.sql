-- The usage of an account's current period by UTC day, endpoint and mode, in the order of the primary key, as JSON text: a year of
-- heavy use has thousands of records. `over` when the period has to be rolled first. $1 account id
select a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over,
  (
    select coalesce(
      string_agg(
        '{"date":"' || day || '","endpoint":' || to_json(endpoint) || ',"mode":' || to_json(mode) || ',"tokens":' || tokens || '}', ','
        order by day, endpoint, mode
      ), ''
    )
    from usage_daily
    where account_id = $1 and period_start = a.period_start
  ) as records
from accounts a
where a.id = $1;
