-- The keys with these hashes, their accounts and what the accounts have used. A key that is used is marked so, at most once a
-- minute, unless somebody else is at it: nobody waits for that, nor two processes for each other. $1 SHA-256 hashes
with found as (
  select * from api_keys where key_hash = any($1::bytea[])
), touched as (
  update api_keys set last_used_at = now()
  where id in (
    select id from api_keys
    where key_hash = any($1::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now())
      and (last_used_at is null or last_used_at < now() - interval '1 minute')
    for no key update skip locked
  )
)
select k.key_hash, k.scopes, k.expires_at, k.revoked_at,
  a.id, a.name, a.pro, a.tier, coalesce(t.direct, false) as direct, a.invoice_paid, a.overage_allowed, a.payment_method,
  a.tokens_allowed, a.rate_per_minute, a.rate_burst, a.skip_trace_per_minute, a.period_end, coalesce(u.tokens_used, 0) as tokens_used
from found k
join accounts a on a.id = k.account_id
left join tiers t on t.name = a.tier
left join usage_periods u on u.account_id = a.id and u.period_start = a.period_start;
