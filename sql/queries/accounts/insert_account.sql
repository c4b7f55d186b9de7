-- A new account. With a tier it has a contract, whose first period begins now.
-- $1 name, $2 tier or null, $3 pro, $4 tokens included or null for the tier's, $5 overage allowed, $6 payment method on file,
-- $7 invoice paid, $8 backstop in tokens or null, $9 calls a minute, $10 burst, $11 the company that it joins or founds; null for
-- its user's or, if that is nobody known, a new one of the account's own name, $12 US cents for 1,000 tokens of overage or null
-- for the tier's, $13 e-mail address of its user or null, $14 who makes it, $15 skip traces a minute, $16 the user's name or null
with known as (
  select id, name from companies
  where case when $11::text is not null then name = $11
    else id = (select company_id from users where lower(email) = lower($13::text)) end
), company as (
  select coalesce((select id from known), gen_random_uuid()) as id, coalesce((select name from known), $11, $1) as name
), founded as (
  insert into companies (id, name) select id, name from company where not exists (select from known)
), member as (
  insert into users as u (company_id, email, name) select id, $13, coalesce($16, '') from company where $13::text is not null
  on conflict (lower(email)) do update set name = coalesce($16, u.name)
  returning id, email, u.name
), terms as (
  select coalesce($4, t.tokens_included, 0) as tokens_included, coalesce($12, t.overage_cents_per_1000, 0) as overage_cents_per_1000,
    case when $2::text is not null then now() end as starts
  from set_config('plat.actor', $14, true) as actor
  left join tiers t on t.name = $2
), account as (
  insert into accounts (
    name, tier, pro, tokens_included, overage_allowed, payment_method, invoice_paid, backstop_tokens,
    rate_per_minute, rate_burst, period_anchor, period_start, period_end, company_id, overage_cents_per_1000, user_id,
    skip_trace_per_minute
  )
  select $1, $2, $3, tokens_included, $5, $6, $7, $8, $9, $10, starts, starts, starts + interval '1 month', company.id,
    overage_cents_per_1000, (select id from member), $15
  from company, terms
  returning *
), period as (
  insert into usage_periods (account_id, period_start) select id, period_start from account where period_start is not null
)
select a.id, a.name, company.name as company, member.email as user_email, a.tier, a.pro, a.tokens_included, a.rate_per_minute,
  a.rate_burst, a.skip_trace_per_minute, 0::bigint as tokens_used, 0::bigint as keys, a.period_start, a.period_end, a.created_at
from account a
cross join company
left join member on true;
