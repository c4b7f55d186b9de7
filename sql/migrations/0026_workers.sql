-- expanding: the workers that run, and totals that outlive a process
-- Workers that run. Each renews its row while its event loop turns, so one that is killed, stopped or cut off
-- is known by its lease; the others then end its database sessions, and with them its locks.
create table workers (
  id text primary key,
  -- As in jobs.worker.
  name text not null,
  started_at timestamptz not null default clock_timestamp(),
  alive_until timestamptz not null
);

-- Totals for /metrics of what leaves no row of its own.
create table event_totals (
  name text primary key,
  total bigint not null default 0
);
