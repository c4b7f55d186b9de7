-- Comps and markets that a company was given by an export and paid for: one that has not changed since costs
-- nothing for 30 days.
create table given_others (
  company_id uuid not null,
  -- Of a listing or a region.
  id uuid not null,
  -- changed_run of the listing, or etag of the region's statistics, as it was given.
  version text not null,
  given_at timestamptz not null default now(),
  primary key (company_id, id)
);

create index given_others_age on given_others (given_at);
