-- Addresses of others that are told of changes, as Standard Webhooks 1.0 has it.
create table webhooks (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id),
  url text not null,
  types text[] not null,
  -- Null for all counties.
  fips int,
  enabled boolean not null default true,
  -- Why the service has switched it off: it answered 410, or nothing got through for days.
  disabled_because text check (disabled_because in ('gone', 'failing')),
  -- Since when every attempt has failed; null while they succeed.
  failing_since timestamptz,
  created_at timestamptz not null default now()
);

create index webhooks_account on webhooks (account_id);

create trigger record_change after insert or update of url, types, fips, enabled or delete on webhooks
  for each row execute function record_change();

-- What signs; apart, as the audit table copies the rows above. The one before goes on for a day.
create table webhook_secrets (
  webhook_id uuid not null references webhooks (id) on delete cascade,
  secret text not null,
  created_at timestamptz not null,
  -- Null for the newest.
  expires_at timestamptz
);

create index webhook_secrets_webhook on webhook_secrets (webhook_id);

-- Changes of one type, county and transaction, in the order of the changes; its id is the webhook-id of every
-- attempt to deliver it.
create table webhook_messages (
  id uuid primary key default gen_random_uuid(),
  -- Of the first change.
  seq bigint not null,
  type text not null,
  -- Null for listings whose county is unknown.
  fips int,
  at timestamptz not null,
  -- What is sent of it beside its type and time.
  data jsonb not null,
  -- Whom alone it is for: a test; null for all who want its type.
  webhook_id uuid references webhooks (id) on delete cascade
);

create index webhook_messages_at on webhook_messages (at);
create index webhook_messages_webhook on webhook_messages (webhook_id) where webhook_id is not null;

create table webhook_deliveries (
  webhook_id uuid not null references webhooks (id) on delete cascade,
  message_id uuid not null references webhook_messages (id) on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  created_at timestamptz not null,
  attempts int not null default 0,
  -- Counts who has taken it: what an earlier one finds out has no effect.
  turn int not null default 0,
  -- The next attempt; of one that is under way when another may begin in its place.
  next_at timestamptz not null,
  -- Of the last attempt: when, the status that was answered, or why there was none.
  last_at timestamptz,
  status int,
  error text,
  primary key (webhook_id, message_id)
);

create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where state = 'pending';
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc);
create index webhook_deliveries_message on webhook_deliveries (message_id);

-- Up to which change messages have been made.
create table webhook_position (
  id boolean primary key default true check (id),
  seq bigint not null
);

insert into webhook_position (seq) select coalesce(max(seq), 0) from changes;
