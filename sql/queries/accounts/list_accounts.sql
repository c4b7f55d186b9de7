-- Every account with what its current period has used and its usable keys, by name.
select a.id, a.name, c.name as company, m.email as user_email, a.tier, a.pro, a.tokens_included, a.rate_per_minute, a.rate_burst,
  a.skip_trace_per_minute,
  case when a.period_end > now() then coalesce(u.tokens_used, 0) else 0 end as tokens_used,
  (
    select count(*) from api_keys k
    where k.account_id = a.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  ) as keys,
  a.period_start, a.period_end, a.created_at
from accounts a
join companies c on c.id = a.company_id
left join users m on m.id = a.user_id
left join usage_periods u on u.account_id = a.id and u.period_start = a.period_start
order by a.name;
