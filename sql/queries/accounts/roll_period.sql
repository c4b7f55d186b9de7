-- Moves accounts whose period is over to the one that holds now, once however many processes try: an update that
-- waited for another sees the new period_end and does nothing. Months are added to the anchor in UTC, so a
-- period that begins on the 31st begins on the last day of a shorter month and on the 31st again after it.
-- $1 account ids
with due as (
  select id, period_anchor,
    (12 * (date_part('year', now()) - date_part('year', period_anchor))
      + date_part('month', now()) - date_part('month', period_anchor))::int as months
  from accounts where id = any($1::uuid[]) and period_end <= now()
  order by id for update
), next as (
  select due.id, p.starts, p.ends
  from due, lateral (
    select due.period_anchor + make_interval(months => m) as starts, due.period_anchor + make_interval(months => m + 1) as ends
    from generate_series(due.months - 1, due.months) as m
  ) as p
  where p.starts <= now() and now() < p.ends
), rolled as (
  update accounts a set period_start = next.starts, period_end = next.ends
  from next where a.id = next.id and a.period_end <= now()
  returning a.id, a.period_start
)
insert into usage_periods (account_id, period_start)
select id, period_start from rolled
on conflict do nothing;
