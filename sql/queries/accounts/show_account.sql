-- Everything about one account, with the usage of its period and its usable keys. $1 id
select a.id, a.name, c.name as company, m.email as user_email, m.name as user_name, a.pro, a.tier, a.tokens_included, a.overage_cents_per_1000,
  a.overage_allowed, a.payment_method, a.invoice_paid, a.backstop_tokens, coalesce(u.tokens_used, 0) as tokens_used,
  a.period_start, a.period_end, a.rate_per_minute, a.rate_burst, a.skip_trace_per_minute,
  (
    select count(*) from api_keys k
    where k.account_id = a.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  ) as keys,
  a.created_at
from accounts a
join companies c on c.id = a.company_id
left join users m on m.id = a.user_id
left join usage_periods u on u.account_id = a.id and u.period_start = a.period_start
where a.id = $1;
