-- A new account with its first period, which begins now.
-- $1 name, $2 tier, $3 pro, $4 tokens included, $5 overage allowed, $6 payment method on file, $7 invoice paid,
-- $8 backstop in tokens or null, $9 calls a minute, $10 burst, $11 the company that it joins or founds; null for a new one of
-- the account's own name
with company as (
  select coalesce((select id from companies where name = $11), gen_random_uuid()) as id
), account as (
  insert into accounts (
    name, tier, pro, tokens_included, overage_allowed, payment_method, invoice_paid, backstop_tokens,
    rate_per_minute, rate_burst, period_anchor, period_start, period_end, company_id
  )
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now(), now(), now() + interval '1 month', id from company
  returning *
), founded as (
  insert into companies (id, name)
  select id, coalesce($11, $1) from company
  where not exists (select from companies c where c.id = company.id)
), period as (
  insert into usage_periods (account_id, period_start) select id, period_start from account
)
select id, name, coalesce($11, $1) as company, tier, pro, tokens_included, rate_per_minute, rate_burst,
  0::bigint as tokens_used, 0::bigint as keys, period_start, period_end, created_at
from account;
