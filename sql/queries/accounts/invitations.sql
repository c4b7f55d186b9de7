-- name: lock_company
-- Lets one call at a time invite people to a company.
select id from companies where id = :company_id for no key update;

-- name: describe_invited
-- Whether an address belongs to a user of the company, and how many other addresses have an open invitation.
-- Run it under lock_company.
select
  exists (select from users where company_id = :company_id and lower(email) = lower(:email)) as "isMember",
  (
    select count(*)::int from invitations
    where company_id = :company_id and lower(email) <> lower(:email) and expires_at > now()
  ) as open;

-- name: save_invitation
-- Invites an address to a company. A repeated invitation replaces the link.
with saved as (
  insert into invitations (company_id, email, name, operator, invited_by, token_hash, expires_at)
  values (:company_id, :email, :name, :operator, :by, :token_hash, now() + make_interval(mins => :minutes))
  on conflict (company_id, lower(email)) do update
  set email = excluded.email, name = excluded.name, operator = excluded.operator, invited_by = excluded.invited_by,
    token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at
)
insert into audit (actor, action, entity, entity_id, after)
values (:by, 'insert', 'invitations', :company_id::uuid::text, jsonb_build_object('email', :email::text));

-- name: list_invitations
-- A company's open invitations, oldest first.
select id, email, expires_at from invitations
where company_id = :company_id and expires_at > now()
order by created_at, id;

-- name: take_invitation
-- Uses an open invitation.
delete from invitations where token_hash = :token_hash and expires_at > now()
returning company_id, email, name, operator;

-- name: cancel_invitations
-- Ends an invitation of a company, or all invitations of an address. Set `id` and `company_id`, or `email`.
-- The others are null.
with ended as (
  delete from invitations
  where case when :email::text is null then id = :id and company_id = :company_id else lower(email) = lower(:email) end
  returning company_id, email
), noted as (
  insert into audit (actor, action, entity, entity_id, before)
  select :by, 'delete', 'invitations', company_id::text, jsonb_build_object('email', email) from ended
)
select email from ended;

-- name: end_invitations_with
-- Ends a company's invitations to the address of one of its users, and the invitations that this user sent.
-- Set `id` or `email`. The other is null.
with person as (
  select company_id, email from users
  where case when :email::text is null then id = :id else lower(email) = lower(:email) end
), ended as (
  delete from invitations i using person p
  where i.company_id = p.company_id and (lower(i.email) = lower(p.email) or i.invited_by = p.email)
  returning i.company_id, i.email
)
insert into audit (actor, action, entity, entity_id, before)
select :by, 'delete', 'invitations', company_id::text, jsonb_build_object('email', email) from ended;
