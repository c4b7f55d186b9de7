-- A new key of the account with this name or id; no row when there is no such account.
-- $1 account name or id, $2 key name, $3 SHA-256 of the key, $4 its first characters, $5 scopes, $6 expiry or null
insert into api_keys (account_id, name, key_hash, prefix, scopes, expires_at)
select id, $2, $3, $4, $5, $6 from accounts where name = $1 or id::text = $1
returning id;
