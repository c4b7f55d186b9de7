-- The usage of an account's current period by UTC day, endpoint and mode, in the order of the primary key, as JSON text: a year of
-- heavy use has thousands of records. Metering keys and modes are lower-case letters and underscores, nothing to escape: to_json took
-- a quarter of the time. `over` when the period has to be rolled first. $1 account id
select a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over,
  (
    select coalesce(
      string_agg(
        '{"date":"' || day || '","endpoint":"' || endpoint || '","mode":"' || mode || '","tokens":' || tokens || '}', ','
        order by day, endpoint, mode
      ), ''
    )
    from usage_daily
    where account_id = $1 and period_start = a.period_start
  ) as records
from accounts a
where a.id = $1;
