-- People sign in to the web app: passwords, sessions, one-time links. Tokens are kept as hashes only.

-- Whether a user may see and steer the whole installation.
alter table users add column operator boolean not null default false;

-- Apart from the users, whose every change the audit table copies.
create table passwords (
  user_id uuid primary key references users (id) on delete cascade,
  -- Argon2id in PHC string format.
  hash text not null,
  changed_at timestamptz not null default now()
);

create table sessions (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  user_id uuid not null references users (id) on delete cascade,
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index sessions_user on sessions (user_id);

create table sign_in_links (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- sign_in opens a session; reset and invite ask for a new password first.
  purpose text not null check (purpose in ('sign_in', 'reset', 'invite')),
  expires_at timestamptz not null
);
create index sign_in_links_user on sign_in_links (user_id);
