-- name: hold_tokens
-- Holds tokens of an account's period. Returns no row if the account may not use that many, or if its period
-- has to be rolled first.
update usage_periods p set tokens_held = p.tokens_held + :tokens::bigint
from accounts a
where p.account_id = :account_id and p.period_end is null and a.id = :account_id and a.period_start = p.period_start
  and a.period_end > now() and p.terms = a.terms
  and (a.tokens_allowed is null or p.tokens_used + p.tokens_held + :tokens <= a.tokens_allowed)
returning p.account_id;

-- name: release_tokens
-- Releases held tokens.
update usage_periods set tokens_held = tokens_held - :tokens::bigint
where account_id = :account_id and period_end is null;

-- name: read_quota
-- The number of tokens that an account can still use, for the error message.
select a.overage_allowed as "overageAllowed", a.payment_method as "paymentMethod",
  coalesce(a.tokens_allowed - p.tokens_used - p.tokens_held, 0) as "left"
from accounts a
left join usage_periods p on p.account_id = a.id and p.period_start = a.period_start
where a.id = :account_id;
