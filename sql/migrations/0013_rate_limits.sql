-- Skip traces have a limit of their own besides that of all calls.

alter table accounts add column skip_trace_per_minute int not null default 20 check (skip_trace_per_minute > 0);

-- Both buckets of an account in one row: asked at once, and a call that one of them refuses takes nothing from the other.
-- Losing the rows in a crash refills the buckets, which is why the table needs no log.
drop table rate_buckets;
create unlogged table rate_buckets (
  account_id uuid primary key,
  -- The limits as they were last asked for.
  per_minute int not null,
  burst int not null,
  skip_trace_per_minute int not null,
  -- In 60 millionths of a call: what a limit of one call a minute gains in a microsecond, the clock's step. So refilling is exact.
  level bigint not null,
  skip_trace_level bigint not null,
  -- How many calls the last statement let through: an upsert can return the new row only.
  plain_admitted int not null,
  skip_traces_admitted int not null,
  updated_at timestamptz not null
) with (fillfactor = 50);
