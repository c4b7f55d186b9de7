-- Revokes a key, named by its id, its prefix or its hash; a key that is revoked already keeps its date.
-- $1 id or prefix, $2 SHA-256 of $1 (for an operator who has the key itself)
update api_keys set revoked_at = coalesce(revoked_at, now())
where id::text = $1 or prefix = $1 or key_hash = $2
returning id, name, revoked_at;
