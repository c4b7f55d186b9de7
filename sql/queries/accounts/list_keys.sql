-- Keys of one account, or of all. $1 account id, or null for all
select k.id, a.name as account, k.name, k.prefix, k.scopes, k.expires_at, k.revoked_at, k.last_used_at, k.created_at
from api_keys k
join accounts a on a.id = k.account_id
where $1::uuid is null or a.id = $1
order by a.name, k.created_at;
