-- expanding: invitations, which create a user only when they are accepted
-- One per company and address. Several companies may invite the same address.
create table invitations (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id) on delete cascade,
  email text not null,
  name text not null default '',
  operator boolean not null default false,
  invited_by text not null,
  -- SHA-256 of the token in the link.
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create unique index invitations_address on invitations (company_id, lower(email));

-- The release before created a user for every invitation. Those rows stay: while both releases run, an open
-- link must work in each of them, and a row without a password and sessions may also be a person who signs in
-- by link only. While the link of such a row is open, it does not block its address: accepting another
-- company's invitation replaces it. Afterwards `plat user remove` frees the address.
