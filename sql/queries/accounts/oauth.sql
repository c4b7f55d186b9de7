-- name: keep_record
-- Inserts or replaces an authorization server record. `grant_hash` and `account_id` may be null. `seconds`:
-- its lifetime.
insert into oauth_records (model, id_hash, payload, grant_hash, account_id, expires_at)
values (:model, :id_hash, :payload, :grant_hash, :account_id, now() + :seconds::float8 * interval '1 second')
on conflict (model, id_hash) do update
  set payload = excluded.payload, grant_hash = excluded.grant_hash, account_id = excluded.account_id, expires_at = excluded.expires_at;

-- name: read_record
-- Reads a record. A record that was used within the last 10 seconds is returned as unused, because
-- consume_record decides whether it may be used again.
select payload, case when consumed_at < now() - interval '10 seconds' then extract(epoch from consumed_at)::bigint end as consumed
from oauth_records
where model = :model and id_hash = :id_hash and (expires_at is null or expires_at > now());

-- name: consume_record
-- Marks a code or token as used. Returns no row if it was used before. A refresh token may be used again for
-- 10 seconds, because its client may not have received the response.
update oauth_records set consumed_at = coalesce(consumed_at, now())
where model = :model and id_hash = :id_hash
  and (consumed_at is null or (model = 'RefreshToken' and consumed_at > now() - interval '10 seconds'))
returning model;

-- name: delete_record
-- Deletes a record.
delete from oauth_records where model = :model and id_hash = :id_hash;

-- name: delete_members
-- Deletes the tokens and codes of a grant. `grant_hash`: hash of the grant's id.
delete from oauth_records where model = :model and grant_hash = :grant_hash;

-- name: make_room_for_client
-- Deletes the oldest clients that no one has authorized, so that adding one leaves no more than a thousand.
-- Clients that expire in more than two hours are authorized, because they expire with their grant.
delete from oauth_records
where model = 'Client' and id_hash in (
  select id_hash from oauth_records
  where model = 'Client' and expires_at < now() + interval '2 hours'
  order by created_at desc
  offset 999
  for update skip locked
);

-- name: keep_client
-- Extends an authorized client's lifetime to that of its grant.
update oauth_records set expires_at = now() + :seconds::float8 * interval '1 second' where model = 'Client' and id_hash = :client_hash;

-- name: list_grants
-- The assistants that an account has authorized, whether they are read-only, and when each last received a
-- token.
select encode(g.id_hash, 'hex') as id, g.payload ->> 'clientId' as client_id, c.payload ->> 'client_name' as name,
  c.payload -> 'redirect_uris' ->> 0 as redirect_uri, g.created_at,
  exists (select from jsonb_each_text(g.payload -> 'resources') r where r.value = 'api:mcp.read') as read_only,
  (select max(t.created_at) from oauth_records t where t.grant_hash = g.id_hash and t.model = 'AccessToken') as used_at
from oauth_records g
left join oauth_records c on c.model = 'Client' and c.id_hash = sha256(convert_to(g.payload ->> 'clientId', 'UTF8'))
where g.model = 'Grant' and g.account_id = :account_id and g.expires_at > now()
order by g.created_at desc;

-- name: end_grant
-- Revokes an assistant's grant with all its tokens. Returns no row if there is none.
with ended as (
  delete from oauth_records where model = 'Grant' and id_hash = decode(:grant_hash, 'hex') and account_id = :account_id returning id_hash
), members as (
  delete from oauth_records m using ended where m.grant_hash = ended.id_hash
)
select from ended;

-- name: end_account_grants
-- Revokes all assistant grants of an account, with their tokens, codes, and sign-ins in progress.
delete from oauth_records where account_id = :account_id;

-- name: lock_owner
-- Returns a row if the user owns the account. Waits for a concurrent change of owner.
select id from accounts where id = :account_id and user_id = :user_id for share;

-- name: end_grants_of_client
-- Revokes an account's grants for a client before the client is authorized again.
with ended as (
  delete from oauth_records
  where model = 'Grant' and account_id = :account_id and payload ->> 'clientId' = :client_id
  returning id_hash
)
delete from oauth_records m using ended where m.grant_hash = ended.id_hash;

-- name: delete_old_records
-- Deletes expired records.
delete from oauth_records where expires_at < now();
