-- What the authorization server for assistants keeps (oidc-provider's models): registered clients, grants, tokens, codes and sign-ins
-- under way. Secrets stand as hashes.
create table oauth_records (
  model text not null,
  -- SHA-256 of the token, code or other id.
  id_hash bytea not null,
  -- What the library knows of it, without the id.
  payload jsonb not null,
  -- The grant that it belongs to, by the hash of its id; a grant's own row has none.
  grant_hash bytea,
  account_id uuid references accounts (id) on delete cascade,
  created_at timestamptz not null default now(),
  consumed_at timestamptz,
  -- null: a registered client, which stays while an account uses it.
  expires_at timestamptz,
  primary key (model, id_hash)
);
create index oauth_records_grant on oauth_records (grant_hash) where grant_hash is not null;
create index oauth_records_account on oauth_records (account_id) where account_id is not null;
create index oauth_records_expiry on oauth_records (expires_at) where expires_at is not null;
create index oauth_records_clients on oauth_records (created_at) where model = 'Client';
create index oauth_records_grants on oauth_records ((payload ->> 'clientId')) where model = 'Grant';
