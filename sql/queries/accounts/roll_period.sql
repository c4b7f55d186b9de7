-- Closes periods that have ended and opens the current one. Also creates the periods in between, even if they
-- had no calls. Rolls a period only once, even if several processes try. Months are added to the anchor in
-- UTC. Locks the account, then its period, like lock_account and lock_period.
with due as materialized (
  select id, tier, tokens_included, overage_cents_per_1000, period_anchor, period_start, period_end, terms,
    set_config('plat.actor', 'end of period', true) as actor
  from accounts where id = any(:account_ids::uuid[]) and period_end <= now()
  order by id for no key update
), held as materialized (
  select p.account_id, p.period_start, p.tokens_held from usage_periods p
  join due on due.id = p.account_id and due.period_start = p.period_start
  order by p.account_id for update of p
), closed as (
  update usage_periods p
  set period_end = due.period_end, tier = due.tier, tokens_included = due.tokens_included,
    overage_cents_per_1000 = due.overage_cents_per_1000, tokens_held = 0
  from held join due on due.id = held.account_id
  where p.account_id = held.account_id and p.period_start = held.period_start
), following as (
  select due.*, greatest(m.starts, due.period_end) as starts, m.ends
  from due, lateral (
    select due.period_anchor + make_interval(months => n) as starts, due.period_anchor + make_interval(months => n + 1) as ends
    from generate_series(
      12 * (date_part('year', due.period_end) - date_part('year', due.period_anchor))::int
        + (date_part('month', due.period_end) - date_part('month', due.period_anchor))::int - 1,
      12 * (date_part('year', now()) - date_part('year', due.period_anchor))::int
        + (date_part('month', now()) - date_part('month', due.period_anchor))::int
    ) as n
  ) as m
  where m.ends > due.period_end and m.starts <= now()
), opened as (
  insert into usage_periods (account_id, period_start, terms, period_end, tier, tokens_included, overage_cents_per_1000, tokens_held)
  select id, starts, terms,
    case when ends <= now() then ends end, case when ends <= now() then tier end,
    case when ends <= now() then tokens_included end, case when ends <= now() then overage_cents_per_1000 end,
    -- Tokens held for running exports belong to the period in which those exports are billed.
    case when ends > now() then coalesce((select tokens_held from held where account_id = id), 0) else 0 end
  from following
  on conflict do nothing
)
update accounts a set period_start = f.starts, period_end = f.ends
from following f where a.id = f.id and f.ends > now();
