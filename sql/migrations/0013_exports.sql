-- Tokens that are held for exports under way: they can be used by nothing else, and are not used yet.
alter table usage_periods add column tokens_held bigint not null default 0;

-- Files of parcels that companies have ordered. A worker makes one, and bills it once when it is whole.
create table exports (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  -- Who pays, and as which of its calls.
  account_id uuid not null references accounts (id),
  mode text not null check (mode in ('direct', 'mcp')),
  -- As it was asked for.
  request jsonb not null,
  state text not null check (state in ('queued', 'running', 'ready', 'failed', 'cancelled', 'expired')),
  -- Of the account's period; 0 once it is over.
  tokens_held bigint not null,
  -- Null until it is ready.
  rows int,
  free_rows int,
  tokens bigint,
  -- {"code", "message", "details"} of one that failed.
  error jsonb,
  job_id uuid,
  -- Which one makes it: what an earlier attempt still does has no effect.
  attempt int not null default 0,
  -- The moment that months and years are counted from.
  created_at timestamptz not null,
  ended_at timestamptz,
  expires_at timestamptz
);

create index exports_company on exports (company_id, created_at desc);
create index exports_open on exports (company_id) where state in ('queued', 'running');
create index exports_kept on exports (expires_at) where state = 'ready';

-- The bytes of a file: one part after the other they are the whole.
create table export_parts (
  export_id uuid not null references exports (id) on delete cascade,
  n int not null,
  bytes bytea not null,
  sha256 bytea not null,
  primary key (export_id, n)
);

-- Read a slice at a time.
alter table export_parts alter column bytes set storage external;
