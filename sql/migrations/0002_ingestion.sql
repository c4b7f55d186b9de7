-- Feeds, their runs, and every row that a run could not use.

create table feeds (
  id int generated always as identity primary key,
  name text not null unique,
  kind text not null check (kind in ('assessor', 'listings')),
  definition jsonb not null,
  -- The day of a snapshot that no longer moves; null for a living feed. Statistics of regions that only such
  -- feeds describe are computed as of that day.
  as_of date,
  -- Where an incremental source goes on: {"watermark": …, "nextLink": …}.
  checkpoint jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table runs (
  id bigint generated always as identity primary key,
  feed_id int not null references feeds (id),
  status text not null default 'running' check (status in ('running', 'merged', 'unchanged', 'blocked', 'failed')),
  -- What was read: [{"input": "roll", "source": …, "bytes": …}].
  inputs jsonb not null default '[]',
  counts jsonb not null default '{}',
  -- What the gate compared and found: {"blocked": [{"gate", "message"}], "figures": {…}}.
  gate jsonb,
  forced boolean not null default false,
  requested_by text not null,
  job_id uuid,
  attempts int not null default 1,
  error_code text,
  error text,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);

create index runs_feed on runs (feed_id, id desc);
create unique index runs_job on runs (job_id) where job_id is not null;

create table run_rejects (
  run_id bigint not null references runs (id) on delete cascade,
  input text not null,
  row_no bigint not null,
  field text,
  reason text not null,
  message text not null,
  raw text not null
);

create index run_rejects_run on run_rejects (run_id, reason);

-- Jobs: the outbox from which work reaches the queue, and the state that people see. The queue only delivers.
create table jobs (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- Two waiting jobs of one name and key would do the same work: the second is not added.
  key text not null,
  payload jsonb not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  progress real not null default 0,
  note text,
  result jsonb,
  error_code text,
  error text,
  attempts int not null default 0,
  queued_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz
);

create unique index jobs_waiting on jobs (name, key) where status = 'queued';
create index jobs_open on jobs (queued_at) where status in ('queued', 'running');
create index jobs_recent on jobs (queued_at desc);

-- Totals for /metrics, kept apart from jobs so that old jobs can be deleted without a counter going back.
create table job_totals (
  name text not null,
  outcome text not null check (outcome in ('done', 'failed', 'retried')),
  jobs bigint not null default 0,
  seconds double precision not null default 0,
  rows bigint not null default 0,
  -- Jobs that took at most 0.1, 1, 10, 60, 600 seconds, and all of them (a Prometheus histogram's buckets).
  le bigint[] not null default '{0,0,0,0,0,0}',
  primary key (name, outcome)
);
