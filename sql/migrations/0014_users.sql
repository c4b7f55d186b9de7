-- Users as rows of their own instead of an e-mail address on the account; the audit table takes nothing back.

create table users (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  email text not null,
  name text not null default '',
  created_at timestamptz not null default now(),
  -- For accounts, whose user is of their own company.
  unique (id, company_id)
);

-- One user an address, however it is written.
create unique index users_email on users (lower(email));
create index users_company on users (company_id);

create trigger record_change after insert or update or delete on users
  for each row execute function record_change();

-- Where one address stands on accounts of several companies, the oldest account's company has the user: the others' is in the audit
-- table, as everything that was ever set.
select set_config('plat.actor', 'migration 0014_users.sql', true);

alter table accounts add column user_id uuid;
insert into users (company_id, email)
select distinct on (lower(trim(user_email))) company_id, trim(user_email)
from accounts
where trim(user_email) <> ''
order by lower(trim(user_email)), created_at, id;
update accounts a set user_id = u.id
from users u
where lower(u.email) = lower(trim(a.user_email)) and u.company_id = a.company_id;
alter table accounts drop column user_email;

-- A user who goes to another company takes the accounts along.
alter table accounts add constraint accounts_user foreign key (user_id, company_id) references users (id, company_id) on update cascade;
create index accounts_user_id on accounts (user_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The table % keeps what it has: % is refused.', tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

create trigger keeps_all before update or delete or truncate on audit
  for each statement execute function refuse_change();

-- The changes of one thing.
create index audit_entity on audit (entity, entity_id);
