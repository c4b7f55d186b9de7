-- What dates given for an account's current period come to. A period that ended before the account was made is not opened: the first
-- one after it that did not begins instead, on the same day of the month. With the first and last day on which the current period was
-- used. $1 account id, $2 start or null for the period's own, $3 end or null for a month after the start
select coalesce(f.starts, g.starts) as starts, coalesce(f.ends, g.ends) as ends, g.anchor, f.starts is not null as skipped, a.created_at,
  used.first_day, used.last_day
from accounts a
cross join lateral (
  select coalesce($2, a.period_start, now()) as starts, coalesce($3, coalesce($2, now()) + interval '1 month') as ends,
    coalesce($3, $2, now()) as anchor
) as g
left join lateral (
  select g.anchor + make_interval(months => n) as starts, g.anchor + make_interval(months => n + 1) as ends
  from generate_series(
    0, 12 * (date_part('year', a.created_at) - date_part('year', g.anchor))::int
      + (date_part('month', a.created_at) - date_part('month', g.anchor))::int
  ) as n
  where g.ends > g.starts and g.ends <= a.created_at and g.anchor + make_interval(months => n + 1) > a.created_at
  order by n
  limit 1
) as f on true
cross join lateral (
  select min(day) as first_day, max(day) as last_day from usage_daily
  where account_id = a.id and period_start = a.period_start
) as used
where a.id = $1;
