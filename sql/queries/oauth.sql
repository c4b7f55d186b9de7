-- name: keep_record
-- $1 model, $2 id's hash, $3 payload, $4 hash of its grant's id or null, $5 account id or null, $6 seconds that it lives, null for a client
insert into oauth_records (model, id_hash, payload, grant_hash, account_id, expires_at)
values ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 second')
on conflict (model, id_hash) do update
  set payload = excluded.payload, grant_hash = excluded.grant_hash, account_id = excluded.account_id, expires_at = excluded.expires_at;

-- name: read_record
-- $1 model, $2 id's hash
select payload, extract(epoch from consumed_at)::bigint as consumed
from oauth_records
where model = $1 and id_hash = $2 and (expires_at is null or expires_at > now());

-- name: consume_record
-- Marks a code or token that may be used once. $1 model, $2 id's hash
update oauth_records set consumed_at = now() where model = $1 and id_hash = $2;

-- name: delete_record
-- $1 model, $2 id's hash
delete from oauth_records where model = $1 and id_hash = $2;

-- name: delete_members
-- The tokens and codes of a grant. $1 model, $2 hash of the grant's id
delete from oauth_records where model = $1 and grant_hash = $2;

-- name: count_idle_clients
-- Clients that nobody has let in, up to a thousand and one. No parameters.
select count(*)::int as clients
from (
  select from oauth_records c
  where c.model = 'Client'
    and not exists (select from oauth_records g where g.model = 'Grant' and g.payload ->> 'clientId' = c.payload ->> 'client_id')
  limit 1001
) idle;

-- name: list_grants
-- The assistants that an account has let in, and when each last got a token. $1 account id
select encode(g.id_hash, 'hex') as id, c.payload ->> 'client_name' as name, c.payload -> 'redirect_uris' ->> 0 as redirect_uri,
  g.created_at,
  (select max(t.created_at) from oauth_records t where t.grant_hash = g.id_hash and t.model = 'AccessToken') as used_at
from oauth_records g
left join oauth_records c on c.model = 'Client' and c.id_hash = sha256(convert_to(g.payload ->> 'clientId', 'UTF8'))
where g.model = 'Grant' and g.account_id = $1 and g.expires_at > now()
order by g.created_at desc;

-- name: end_grant
-- Takes an assistant's access away with all it was given; no row where there is none. $1 account id, $2 grant's hash in hex
with ended as (
  delete from oauth_records where model = 'Grant' and id_hash = decode($2, 'hex') and account_id = $1 returning id_hash
), members as (
  delete from oauth_records m using ended where m.grant_hash = ended.id_hash
)
select from ended;

-- name: end_grants_of_client
-- Before a client is let in anew. $1 account id, $2 client id
with ended as (
  delete from oauth_records
  where model = 'Grant' and account_id = $1 and payload ->> 'clientId' = $2
  returning id_hash
)
delete from oauth_records m using ended where m.grant_hash = ended.id_hash;

-- name: delete_old_records
-- What has expired, and clients that nobody has let in for a day. No parameters.
with expired as (
  delete from oauth_records where expires_at < now()
)
delete from oauth_records c
where c.model = 'Client' and c.created_at < now() - interval '1 day'
  and not exists (select from oauth_records g where g.model = 'Grant' and g.payload ->> 'clientId' = c.payload ->> 'client_id');
