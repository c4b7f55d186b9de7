-- name: close_period
-- Ends an account's current period now, with its current terms.
update usage_periods p
set period_end = greatest(now(), p.period_start), tier = a.tier, tokens_included = a.tokens_included, overage_cents_per_1000 = a.overage_cents_per_1000
from accounts a
where a.id = :account_id and p.account_id = a.id and p.period_start = a.period_start;

-- name: count_closed
-- Counts the closed periods of an account, starting at `first_start`, and returns when the current one
-- started.
select count(*) filter (where period_end is not null) as closed, max(period_start) as current from usage_periods
where account_id = :account_id and period_start >= :first_start;

-- name: find_account
-- Finds an account by id, or otherwise by name.
select id from accounts where id::text = lower(:account) or name = :account
order by id::text = lower(:account) desc
limit 1;

-- name: find_period
-- Returns what an account's current period would become with new dates. If that period would end before the
-- account was created, returns the first monthly period that ends after the creation, and sets `skipped`.
-- `start`: null keeps the period's start. `end`: null means a month after the start.
select coalesce(f.starts, g.starts) as starts, coalesce(f.ends, g.ends) as ends, g.anchor, f.starts is not null as skipped, a.created_at,
  used.first_day, used.last_day
from accounts a
cross join lateral (
  select coalesce(:start, a.period_start, now()) as starts, coalesce(:end, coalesce(:start, now()) + interval '1 month') as ends,
    coalesce(:end, :start, now()) as anchor
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
where a.id = :account_id;

-- name: insert_account
-- Creates an account. With a tier, its first period starts now. `tier` and `backstop` may be null. If
-- `tokens` or `overage_price` is null, the tier's value applies. If `company` is null, the account joins the
-- user's current company, or a new company with the account's name. `user_email`, `user_name`: the account's
-- user, or null.
with known as (
  select id, name from companies
  where case when :company::text is not null then name = :company
    else id = (select company_id from users where lower(email) = lower(:user_email::text)) end
), company as (
  select coalesce((select id from known), gen_random_uuid()) as id, coalesce((select name from known), :company, :name) as name
), founded as (
  insert into companies (id, name) select id, name from company where not exists (select 1 from known)
), member as (
  insert into users as u (company_id, email, name) select id, :user_email, coalesce(:user_name, '') from company where :user_email::text is not null
  on conflict (lower(email)) do update set name = coalesce(:user_name, u.name)
  returning id
), terms as (
  select coalesce(:tokens, t.tokens_included, 0) as tokens_included, coalesce(:overage_price, t.overage_cents_per_1000, 0) as overage_cents_per_1000,
    case when :tier::text is not null then now() end as starts
  from set_config('plat.actor', :by, true) as actor
  left join tiers t on t.name = :tier
), account as (
  insert into accounts (
    name, tier, pro, tokens_included, overage_allowed, payment_method, invoice_paid, backstop_tokens,
    rate_per_minute, rate_burst, period_anchor, period_start, period_end, company_id, overage_cents_per_1000, user_id,
    skip_trace_per_minute, skip_trace
  )
  select :name, :tier, :pro, tokens_included, :overage_allowed, :payment_method, :invoice_paid, :backstop, :calls_per_minute, :burst, starts, starts, starts + interval '1 month', company.id,
    overage_cents_per_1000, (select id from member), :skip_traces_per_minute, :may_trace
  from company, terms
  returning *
), period as (
  insert into usage_periods (account_id, period_start) select id, period_start from account where period_start is not null
)
select id from account;

-- name: insert_key
-- Creates an API key for an account. `key_hash`: SHA-256 of the key. `expiry` may be null.
insert into api_keys (account_id, name, key_hash, prefix, scopes, origins, expires_at)
select :account_id, :name, :key_hash, :prefix, :scopes, :origins, :expiry
from set_config('plat.actor', :by, true) as actor
returning id;

-- name: join_company
-- Returns the company with this name. Creates it if it doesn't exist.
with known as (
  select id from companies where name = :name
), founded as (
  insert into companies (name) select :name where not exists (select 1 from known) returning id
)
select id from known union all select id from founded;

-- name: join_user
-- Returns the user with this email address. Creates the user if they don't exist. `company_id`: company for a
-- new user. `name`: null keeps the current name.
insert into users as u (company_id, email, name) values (:company_id, :address, coalesce(:name, ''))
on conflict (lower(email)) do update set name = coalesce(:name, u.name)
returning id, company_id;

-- name: list_accounts
-- Lists accounts by name, with the usage in their current period and their usable keys. `id`: null for all.
select a.id, a.name, c.name as company, m.email as user_email, m.name as user_name, a.pro, a.tier, a.tokens_included, a.overage_cents_per_1000,
  a.overage_allowed, a.payment_method, a.invoice_paid, a.backstop_tokens, case when a.period_end > now() then coalesce(u.tokens_used, 0) else 0 end as tokens_used,
  a.period_start, a.period_end, a.rate_per_minute, a.rate_burst, a.skip_trace_per_minute, a.skip_trace,
  (
    select count(*) from api_keys k
    where k.account_id = a.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  ) as keys,
  a.created_at, a.disabled_at
from accounts a
join companies c on c.id = a.company_id
left join users m on m.id = a.user_id
left join usage_periods u on u.account_id = a.id and u.period_start = a.period_start
where :id::uuid is null or a.id = :id
order by a.name;

-- name: list_changes
-- Changes to an account, its keys, its users, and the users and invitations of its company, oldest first.
select at, actor, action, entity, entity_id, before, after from audit
where account_id = :account_id
  or entity = 'users' and (
    entity_id in (select after ->> 'user_id' from audit where account_id = :account_id and entity = 'accounts')
    or entity_id in (select u.id::text from users u join accounts a on a.company_id = u.company_id where a.id = :account_id)
    or entity_id in (
      select removed.entity_id from audit removed
      where removed.entity = 'users' and removed.action = 'delete'
        and removed.before ->> 'company_id' = (select company_id::text from accounts where id = :account_id)
    )
  )
  or entity = 'invitations' and entity_id = (select company_id::text from accounts where id = :account_id)
order by id;

-- name: list_keys
-- Keys of one account, or of all if `account_id` is null.
select k.id, a.name as account, k.name, k.prefix, k.scopes, k.origins, k.expires_at, k.revoked_at, k.last_used_at, k.created_at
from api_keys k
join accounts a on a.id = k.account_id
where :account_id::uuid is null or a.id = :account_id
order by a.name, k.created_at;

-- name: list_names
-- All names of one kind. `of`: account, company, or tier.
select name from accounts where :of = 'account'
union all select name from companies where :of = 'company'
union all select name from tiers where :of = 'tier';

-- name: list_tier_changes
-- Changes to a tier, oldest first.
select at, actor, action, entity, entity_id, before, after from audit
where account_id is null and entity = 'tiers' and entity_id = :name
order by id;

-- name: list_tiers
-- The tiers, with the terms for new contracts.
select name, tokens_included, overage_cents_per_1000, direct, price_cents from tiers order by tokens_included, name;

-- name: lock_account
-- Locks an account, and returns the usage in its period and the end of the last closed period.
select a.id, a.tier, a.company_id, a.user_id, a.tokens_included, a.overage_cents_per_1000, a.overage_allowed, a.payment_method,
  a.period_start, a.period_end,
  coalesce((select tokens_used from usage_periods where account_id = a.id and period_start = a.period_start), 0) as tokens_used,
  (select max(period_end) from usage_periods where account_id = a.id) as closed_until, now() as now,
  set_config('plat.actor', :by, true) as actor
from accounts a where a.id = :id
-- This lock doesn't conflict with charges. The first charge of a day inserts a usage row, and its foreign key
-- locks the account (for key share) while the charge has the period locked.
for no key update of a;

-- name: lock_period
-- Blocks charges on the period of a locked account, so that its usage stays the same while its terms change.
select 1 from usage_periods p
join accounts a on a.id = p.account_id and a.period_start = p.period_start
where a.id = :account_id
for update of p;

-- name: move_period
-- Changes the start of an account's current period. Run this before the account itself is updated. The period
-- keeps its usage.
with days as (
  update usage_daily d set period_start = :start from accounts a
  where a.id = :account_id and d.account_id = a.id and d.period_start = a.period_start
)
update usage_periods p set period_start = :start from accounts a
where a.id = :account_id and p.account_id = a.id and p.period_start = a.period_start;

-- name: move_user
-- Moves a user along with their account to another company. Returns no row if the user has other accounts.
update users u set company_id = :company_id
where u.id = :user_id and not exists (select 1 from accounts a where a.user_id = u.id and a.id <> :account_id)
returning u.id;

-- name: open_period
-- Opens a period.
insert into usage_periods (account_id, period_start) values (:account_id, :start)
on conflict (account_id, period_start) do nothing;

-- name: rename_user
-- Renames a user.
update users set name = :name where id = :user_id;

-- name: revoke_key
-- Revokes a key. A key that is already revoked keeps its date. `key_hash`: SHA-256 of `key`, for operators
-- who have the key itself.
update api_keys k set revoked_at = coalesce(k.revoked_at, now())
from set_config('plat.actor', :by, true) as actor
where k.id::text = :key or k.prefix = :key or k.key_hash = :key_hash
returning k.id, k.name, k.revoked_at;

-- name: rotate_key
-- Replaces a key with a new one that has the same account, name, scopes, websites, and expiration. The old
-- key expires a few hours later. `key_hash`: SHA-256 of `old_key`. `new_hash`: SHA-256 of the new key.
with old as (
  select k.* from api_keys k, set_config('plat.actor', :by, true) as actor
  where (k.id::text = :old_key or k.prefix = :old_key or k.key_hash = :key_hash) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  limit 1 for update of k
), ended as (
  update api_keys k
  set revoked_at = case when :hours::float8 = 0 then now() end, expires_at = least(k.expires_at, now() + :hours::float8 * interval '1 hour')
  from old where k.id = old.id
  returning k.expires_at
)
insert into api_keys (account_id, name, key_hash, prefix, scopes, origins, expires_at)
select account_id, name, :new_hash, :prefix, scopes, origins, old.expires_at from old
returning id, name, (select expires_at from ended) as old_until;

-- name: save_tier
-- Creates or changes a tier. Existing contracts keep their tokens and overage price, but the tier decides
-- whether REST is included, and has the price per period. `overage_price`: US cents per 1,000 tokens of
-- overage. `direct`: whether keys may call REST. `price`: US cents per period. Null keeps a value.
insert into tiers as t (name, tokens_included, overage_cents_per_1000, direct, price_cents)
select :name, coalesce(:tokens_included, old.tokens_included, 0), coalesce(:overage_price, old.overage_cents_per_1000, 0), coalesce(:direct, old.direct, true),
  coalesce(:price, old.price_cents)
from set_config('plat.actor', :by, true) as actor
left join tiers old on old.name = :name
on conflict (name) do update set (tokens_included, overage_cents_per_1000, direct, price_cents)
  = (excluded.tokens_included, excluded.overage_cents_per_1000, excluded.direct, excluded.price_cents)
returning name, tokens_included, overage_cents_per_1000, direct, price_cents;

-- name: set_key_origins
-- Sets the websites that can use a map key. Returns no row if there is no such key, or if it was revoked.
update api_keys k set origins = :origins
from set_config('plat.actor', :by, true) as actor
where k.id = :key_id::uuid and k.revoked_at is null and :scope = any (k.scopes)
returning k.id;

-- name: update_account
-- Sets columns of an account, and increases `terms` in the account and its current period, so that charges
-- waiting for the period read the account again. `patch`: {column: value}.
with changed as (
  update accounts a set terms = a.terms + 1, (
    tier, pro, tokens_included, overage_cents_per_1000, overage_allowed, payment_method, invoice_paid, backstop_tokens,
    rate_per_minute, rate_burst, skip_trace_per_minute, skip_trace, user_id, company_id, period_anchor, period_start, period_end, disabled_at
  ) = (
    select n.tier, n.pro, n.tokens_included, n.overage_cents_per_1000, n.overage_allowed, n.payment_method, n.invoice_paid,
      n.backstop_tokens, n.rate_per_minute, n.rate_burst, n.skip_trace_per_minute, n.skip_trace, n.user_id, n.company_id,
      n.period_anchor, n.period_start, n.period_end, n.disabled_at
    from jsonb_populate_record(a, :patch::jsonb) as n
  )
  where a.id = :id
  returning a.id, a.period_start, a.terms, a.tokens_allowed
), marked as (
  update usage_periods p set terms = c.terms from changed c where p.account_id = c.id and p.period_start = c.period_start
)
select tokens_allowed from changed;
