-- Who may call the API, and what they used.

create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  pro boolean not null default true,
  tier text not null check (tier in ('free', 'starter', 'growth', 'scale')),
  tokens_included bigint not null check (tokens_included >= 0),
  overage_allowed boolean not null default false,
  payment_method boolean not null default false,
  invoice_paid boolean not null default true,
  -- The most tokens of overage in one period; null for no ceiling.
  backstop_tokens bigint check (backstop_tokens >= 0),
  -- The most a period may use; null for no ceiling.
  tokens_allowed bigint generated always as (
    tokens_included + case when overage_allowed and payment_method then backstop_tokens else 0 end
  ) stored,
  rate_per_minute int not null default 60 check (rate_per_minute > 0),
  rate_burst int not null default 120 check (rate_burst > 0),
  -- Periods start whole months after the anchor (a month's last day where it has no such day), so a period
  -- that begins on the 31st does not drift to the 28th for ever after one February.
  period_anchor timestamptz not null,
  period_start timestamptz not null,
  period_end timestamptz not null check (period_end > period_start),
  created_at timestamptz not null default now()
);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id),
  name text not null,
  -- SHA-256 of the key, which has 256 bits of its own: a slow hash would add nothing.
  key_hash bytea not null unique,
  -- The first characters, to tell keys apart.
  prefix text not null,
  scopes text[] not null default '{api:direct}',
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);

create index api_keys_account on api_keys (account_id);

-- What a period used: the row that a charge locks, so that it can never pass what the account may use.
create table usage_periods (
  account_id uuid not null references accounts (id),
  period_start timestamptz not null,
  tokens_used bigint not null default 0,
  primary key (account_id, period_start)
);

create table usage_daily (
  account_id uuid not null references accounts (id),
  period_start timestamptz not null,
  day date not null,
  endpoint text not null,
  mode text not null check (mode in ('direct', 'mcp')),
  tokens bigint not null default 0,
  calls bigint not null default 0,
  primary key (account_id, period_start, day, endpoint, mode)
);

-- Token buckets. Losing them in a crash refills them, which is why the table needs no log.
create unlogged table rate_buckets (
  account_id uuid not null,
  bucket text not null,
  -- The limits as they were last asked for.
  per_minute int not null,
  burst int not null,
  tokens double precision not null,
  -- How many calls the last statement let through: an upsert can return the new row only.
  admitted int not null,
  updated_at timestamptz not null,
  primary key (account_id, bucket)
) with (fillfactor = 50);
