-- name: find_by_email
-- The user who signs in with this address.
select u.id, u.email, u.name, u.operator, p.hash
from users u
left join passwords p on p.user_id = u.id
where lower(u.email) = lower(:address);

-- name: insert_user
-- Creates a user.
insert into users (company_id, email, name, operator)
select :company_id, :email, :name, :operator
from set_config('plat.actor', :by, true) as actor
on conflict (lower(email)) do nothing
returning id;

-- name: lock_user
-- Locks a user that a transaction may delete. Set `id` or `email`. The other is null.
select id, set_config('plat.actor', :by, true) as actor from users
where case when :email::text is null then id = :id else lower(email) = lower(:email) end
for update;

-- name: describe_user
-- Returns the facts that determine whether a locked user may be deleted, and the account whose board gets
-- their deals: their company's oldest account.
select u.id, u.email, u.company_id, c.name as company, u.operator,
  (select name from accounts where user_id = u.id order by created_at limit 1) as account,
  (select id from accounts where company_id = u.company_id order by created_at limit 1) as heir_id,
  exists (select from passwords where user_id = u.id) or exists (select from sessions where user_id = u.id)
    or not exists (select from sign_in_links where user_id = u.id and purpose = 'invite' and expires_at > now()) as signed_in,
  exists (select from deals d join deal_boards b on b.id = d.board_id where b.user_id = u.id) as has_deals
from users u
join companies c on c.id = u.company_id
where u.id = :id;

-- name: delete_user
-- Deletes a user with their password, sessions, links, and saved-search emails.
delete from users where id = :user_id;

-- name: list_users
-- All users with their company, account, and last visit.
select u.id, u.email, u.name, u.operator, c.name as company, a.name as account, p.user_id is not null as has_password,
  (select max(s.seen_at) from sessions s where s.user_id = u.id) as seen_at, u.created_at
from users u
join companies c on c.id = u.company_id
left join lateral (select name from accounts where user_id = u.id order by created_at limit 1) a on true
left join passwords p on p.user_id = u.id
order by u.email;

-- name: list_members
-- The users of a company.
select u.id, u.email, u.name, p.user_id is not null as has_password, u.created_at, u.operator,
  exists (select from accounts where user_id = u.id) as owner,
  (select max(s.seen_at) from sessions s where s.user_id = u.id) as seen_at
from users u
left join passwords p on p.user_id = u.id
where u.company_id = :company_id
order by u.created_at;

-- name: store_password
-- Stores a user's new password.
insert into passwords (user_id, hash)
select id, :hash from users where id = :user_id for key share
on conflict (user_id) do update set hash = excluded.hash, changed_at = now();

-- name: record_event
-- Records a user event that leaves no trace in any other row.
insert into audit (actor, action, entity, entity_id) values (:by, :what, 'users', :user_id);

-- name: insert_session
-- Starts a session. `browser`: the User-Agent.
insert into sessions (token_hash, user_id, user_agent)
select :token_hash, id, :browser from users where id = :user_id for key share
returning id;

-- name: read_session
-- Returns a session's user, and the account whose data the pages show: the user's own, or else their
-- company's oldest. A session ends after 30 idle days. The last visit is updated once every 5 minutes.
with session as (
  select id, user_id, seen_at from sessions where token_hash = :token_hash and seen_at > now() - interval '30 days'
), seen as (
  update sessions s set seen_at = now()
  from session
  where s.id = session.id and session.seen_at < now() - interval '5 minutes'
  returning s.id
)
select s.id, json_build_object('id', c.id, 'name', c.name) as company,
  json_build_object('id', u.id, 'email', u.email, 'name', u.name, 'operator', u.operator,
    'hasPassword', exists (select 1 from passwords p where p.user_id = u.id)) as user,
  case when a.id is not null
    then json_build_object('id', a.id, 'name', a.name, 'own', coalesce(a.user_id = u.id, false)) end as account
from session s
join users u on u.id = s.user_id
join companies c on c.id = u.company_id
left join lateral (
  select id, name, user_id from accounts
  where company_id = u.company_id
  order by user_id is distinct from u.id, created_at
  limit 1
) a on true;

-- name: list_sessions
-- A user's sessions, last used first.
select id, user_agent, created_at, seen_at from sessions
where user_id = :user_id and seen_at > now() - interval '30 days'
order by seen_at desc;

-- name: end_session
-- Ends a user's session.
delete from sessions where id = :session_id and user_id = :user_id;

-- name: end_sessions
-- Ends all sessions of a user except `kept_session_id`, which may be null.
delete from sessions where user_id = :user_id and id is distinct from :kept_session_id::uuid;

-- name: list_open_sessions
-- Returns which of these sessions are still active.
select id from sessions where id = any (:session_ids::uuid[]);

-- name: delete_old_sessions
-- Deletes sessions, links, and invitations that have expired.
with links as (
  delete from sign_in_links where expires_at < now()
), invitations as (
  delete from invitations where expires_at < now()
)
delete from sessions where seen_at < now() - interval '30 days';

-- name: insert_link
-- Creates a one-time link. `minutes`: its lifetime.
insert into sign_in_links (token_hash, user_id, purpose, expires_at)
values (:token_hash, :user_id, :purpose, now() + make_interval(mins => :minutes));

-- name: find_link
-- Returns a link's purpose and company, without using up the link. `user_id`: null for an invitation.
select l.user_id, l.purpose, u.email, c.name as company
from sign_in_links l
join users u on u.id = l.user_id
join companies c on c.id = u.company_id
where l.token_hash = :token_hash and l.expires_at > now()
union all
select null, 'invite', i.email, c.name
from invitations i
join companies c on c.id = i.company_id
where i.token_hash = :token_hash and i.expires_at > now();

-- name: use_link
-- Uses a link. The user's other links become invalid too, so that links in older emails no longer work.
with used as (
  delete from sign_in_links where token_hash = :token_hash and expires_at > now() returning user_id, purpose
), others as (
  delete from sign_in_links l using used where l.user_id = used.user_id and l.token_hash <> :token_hash
)
select u.id as user_id, u.email, used.purpose
from used
join users u on u.id = used.user_id;
