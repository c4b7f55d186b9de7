-- name: keep_record
-- Keeps a record of the authorization server, in the place of the one with its id. `grant_hash` and
-- `account_id` may be null; `seconds`: how long it lives.
insert into oauth_records (model, id_hash, payload, grant_hash, account_id, expires_at)
values (:model, :id_hash, :payload, :grant_hash, :account_id, now() + :seconds::float8 * interval '1 second')
on conflict (model, id_hash) do update
  set payload = excluded.payload, grant_hash = excluded.grant_hash, account_id = excluded.account_id, expires_at = excluded.expires_at;

-- name: read_record
-- What was used within the last 10 seconds is not yet told to be: consume_record decides whether it may be
-- again.
select payload, case when consumed_at < now() - interval '10 seconds' then extract(epoch from consumed_at)::bigint end as consumed
from oauth_records
where model = :model and id_hash = :id_hash and (expires_at is null or expires_at > now());

-- name: consume_record
-- Marks a code or token as used; no row where it was used before, except a refresh token within the last 10
-- seconds: its client may not have got the answer, or have asked twice.
update oauth_records set consumed_at = coalesce(consumed_at, now())
where model = :model and id_hash = :id_hash
  and (consumed_at is null or (model = 'RefreshToken' and consumed_at > now() - interval '10 seconds'))
returning model;

-- name: delete_record
-- Takes a record away.
delete from oauth_records where model = :model and id_hash = :id_hash;

-- name: delete_members
-- The tokens and codes of a grant. `grant_hash`: hash of the grant's id.
delete from oauth_records where model = :model and grant_hash = :grant_hash;

-- name: make_room_for_client
-- Deletes the oldest clients that nobody has authorized, so that one more makes a thousand. What was let
-- in expires with its grant, a year from then.
delete from oauth_records
where model = 'Client' and id_hash in (
  select id_hash from oauth_records
  where model = 'Client' and expires_at < now() + interval '2 hours'
  order by created_at desc
  offset 999
  for update skip locked
);

-- name: keep_client
-- A client that is let in lives as long as its grant.
update oauth_records set expires_at = now() + :seconds::float8 * interval '1 second' where model = 'Client' and id_hash = :client_hash;

-- name: list_grants
-- The assistants that an account has let in, and when each last got a token.
select encode(g.id_hash, 'hex') as id, g.payload ->> 'clientId' as client_id, c.payload ->> 'client_name' as name,
  c.payload -> 'redirect_uris' ->> 0 as redirect_uri, g.created_at,
  (select max(t.created_at) from oauth_records t where t.grant_hash = g.id_hash and t.model = 'AccessToken') as used_at
from oauth_records g
left join oauth_records c on c.model = 'Client' and c.id_hash = sha256(convert_to(g.payload ->> 'clientId', 'UTF8'))
where g.model = 'Grant' and g.account_id = :account_id and g.expires_at > now()
order by g.created_at desc;

-- name: end_grant
-- Takes an assistant's access away with all it was given; no row where there is none.
with ended as (
  delete from oauth_records where model = 'Grant' and id_hash = decode(:grant_hash, 'hex') and account_id = :account_id returning id_hash
), members as (
  delete from oauth_records m using ended where m.grant_hash = ended.id_hash
)
select from ended;

-- name: end_grants_of_client
-- Before a client is authorized again.
with ended as (
  delete from oauth_records
  where model = 'Grant' and account_id = :account_id and payload ->> 'clientId' = :client_id
  returning id_hash
)
delete from oauth_records m using ended where m.grant_hash = ended.id_hash;

-- name: delete_old_records
-- What has expired.
delete from oauth_records where expires_at < now();
