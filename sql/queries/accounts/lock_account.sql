-- An account, for a change; with the end of a period that began at $2, or now.
-- $1 id, $2 start of a period or null, $3 who changes it
select a.id, a.tier, a.company_id, a.user_id, coalesce($2, now()) as starts, coalesce($2 > now(), false) as ahead,
  coalesce($2, now()) + interval '1 month' as ends, set_config('plat.actor', $3, true) as actor
from accounts a where a.id = $1
-- Not against charges, whose first record of a day refers to the account while they hold its period.
for no key update of a;
