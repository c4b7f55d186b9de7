-- Revokes a key, named by its id, its prefix or its hash; a key that is revoked already keeps its date.
-- $1 id or prefix, $2 SHA-256 of $1 (for an operator who has the key itself), $3 who revokes it
update api_keys k set revoked_at = coalesce(k.revoked_at, now())
from set_config('plat.actor', $3, true) as actor
where k.id::text = $1 or k.prefix = $1 or k.key_hash = $2
returning k.id, k.name, k.revoked_at;
