-- A new key of an account.
-- $1 account id, $2 key name, $3 SHA-256 of the key, $4 its first characters, $5 scopes, $6 expiry or null, $7 who makes it
insert into api_keys (account_id, name, key_hash, prefix, scopes, expires_at)
select $1, $2, $3, $4, $5, $6
from set_config('plat.actor', $7, true) as actor
returning id;
