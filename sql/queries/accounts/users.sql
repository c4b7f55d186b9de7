-- name: find_by_email
-- Whoever signs in with this address. $1 address
select u.id, u.email, u.name, u.operator, p.hash
from users u
left join passwords p on p.user_id = u.id
where lower(u.email) = lower($1);

-- name: insert_user
-- A new user. $1 company id, $2 e-mail address, $3 name, $4 whether an operator, $5 who makes them
insert into users (company_id, email, name, operator)
select $1, $2, $3, $4
from set_config('plat.actor', $5, true) as actor
on conflict (lower(email)) do nothing
returning id;

-- name: list_users
-- Every user with their company, account and last visit. No parameters.
select u.id, u.email, u.name, u.operator, c.name as company, a.name as account, p.user_id is not null as has_password,
  (select max(s.seen_at) from sessions s where s.user_id = u.id) as seen_at, u.created_at
from users u
join companies c on c.id = u.company_id
left join lateral (select name from accounts where user_id = u.id order by created_at limit 1) a on true
left join passwords p on p.user_id = u.id
order by u.email;

-- name: list_members
-- The people of a company. $1 company id
select u.id, u.email, u.name, p.user_id is not null as has_password, u.created_at,
  (select max(s.seen_at) from sessions s where s.user_id = u.id) as seen_at
from users u
left join passwords p on p.user_id = u.id
where u.company_id = $1
order by u.created_at;

-- name: store_password
-- A user's new password. $1 user id, $2 its hash
insert into passwords (user_id, hash) values ($1, $2)
on conflict (user_id) do update set hash = excluded.hash, changed_at = now();

-- name: record_event
-- What happened to a user that no row of theirs shows. $1 who, $2 what, $3 user id
insert into audit (actor, action, entity, entity_id) values ($1, $2, 'users', $3);

-- name: insert_session
-- $1 token's hash, $2 user id, $3 the browser by its own account
insert into sessions (token_hash, user_id, user_agent) values ($1, $2, $3) returning id;

-- name: read_session
-- Who a session is of, with the account that the pages read as: the user's own, else their company's oldest. Idle for 30 days it is over.
-- Seen is noted once in 5 minutes. $1 token's hash
with session as (
  select id, user_id, seen_at from sessions where token_hash = $1 and seen_at > now() - interval '30 days'
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
-- A user's sessions, the last used first. $1 user id
select id, user_agent, created_at, seen_at from sessions
where user_id = $1 and seen_at > now() - interval '30 days'
order by seen_at desc;

-- name: end_session
-- $1 session id, $2 user id
delete from sessions where id = $1 and user_id = $2;

-- name: end_sessions
-- All sessions of a user but one. $1 user id, $2 the session that stays, or null
delete from sessions where user_id = $1 and id is distinct from $2::uuid;

-- name: delete_old_sessions
-- Sessions and links that nobody can use any more. No parameters.
with links as (
  delete from sign_in_links where expires_at < now()
)
delete from sessions where seen_at < now() - interval '30 days';

-- name: insert_link
-- A one-time link. $1 token's hash, $2 user id, $3 purpose, $4 minutes that it lives
insert into sign_in_links (token_hash, user_id, purpose, expires_at)
values ($1, $2, $3, now() + make_interval(mins => $4));

-- name: find_link
-- What a link is for, without using it. $1 token's hash
select l.user_id, l.purpose, u.email
from sign_in_links l
join users u on u.id = l.user_id
where l.token_hash = $1 and l.expires_at > now();

-- name: use_link
-- Uses a link up. Other links of the user end with it, so that an older mail opens nothing. $1 token's hash
with used as (
  delete from sign_in_links where token_hash = $1 and expires_at > now() returning user_id, purpose
), others as (
  delete from sign_in_links l using used where l.user_id = used.user_id and l.token_hash <> $1
)
select u.id as user_id, u.email, used.purpose
from used
join users u on u.id = used.user_id;
