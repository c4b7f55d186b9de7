-- A new account with its first period, which begins now.
-- $1 name, $2 tier, $3 pro, $4 tokens included, $5 overage allowed, $6 payment method on file, $7 invoice paid,
-- $8 backstop in tokens or null, $9 calls a minute, $10 burst
with account as (
  insert into accounts (
    name, tier, pro, tokens_included, overage_allowed, payment_method, invoice_paid, backstop_tokens,
    rate_per_minute, rate_burst, period_anchor, period_start, period_end
  )
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now(), now(), now() + interval '1 month')
  returning *
), period as (
  insert into usage_periods (account_id, period_start) select id, period_start from account
)
select id, name, tier, pro, tokens_included, rate_per_minute, rate_burst, 0::bigint as tokens_used,
  0::bigint as keys, period_start, period_end, created_at
from account;
