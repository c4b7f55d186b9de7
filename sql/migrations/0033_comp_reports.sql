-- Comp reports: what a person has chosen from the comps around a parcel, and what was true when they did.

create table comp_reports (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  fips int not null,
  property_id bigint not null,
  -- The parcel's address or number, once it is prepared.
  label text not null default '',
  title text not null default '' check (char_length(title) <= 200),
  notes text not null default '' check (char_length(notes) <= 20000),
  -- Grows with every change, so that an open page knows that it is behind.
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Waits for a worker since.
  wanted_at timestamptz,
  -- When a worker compared it last with what was true.
  looked_at timestamptz,
  -- Why the parcel cannot be compared with anything.
  fault text,
  -- ReportSnapshot of shared/comping/report.ts: what the report goes by, and what it would go by if it were made now.
  snapshot json,
  offered json,
  -- Of the link that shows the report to anybody.
  share_hash bytea unique,
  share_expires_at timestamptz,
  check ((share_hash is null) = (share_expires_at is null))
);
create index comp_reports_account on comp_reports (account_id, updated_at desc);
create index comp_reports_wanted on comp_reports (fips) where wanted_at is not null;

-- A row a comp, so that what two tabs choose comes together.
create table comp_report_comps (
  report_id uuid not null references comp_reports (id) on delete cascade,
  comp_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (report_id, comp_id)
);

-- They stay when a comp is taken out, for when it is chosen again.
create table comp_report_overrides (
  report_id uuid not null references comp_reports (id) on delete cascade,
  comp_id uuid not null,
  adjustment text not null check (adjustment in ('size', 'time', 'location', 'land', 'asking')),
  percent double precision not null check (percent between -95 and 1000),
  reason text not null check (char_length(reason) between 1 and 500),
  changed_at timestamptz not null default now(),
  primary key (report_id, comp_id, adjustment)
);
