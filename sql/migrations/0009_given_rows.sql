-- The parcels that a company was given by an export or a list, and paid for: one that has not changed since
-- costs nothing for 30 days. On a cluster it lies beside the parcels.
create table given_rows (
  fips int not null,
  company_id uuid not null,
  property_id bigint not null,
  -- changed_run of the parcel as it was given. The merge sets it for what a roll changes and for nothing else:
  -- a value or a slope that is computed anew is no other parcel. A time could not tell a change that was
  -- merged while the rows were being read.
  version bigint not null,
  given_at timestamptz not null default now(),
  primary key (fips, company_id, property_id)
);

create index given_rows_age on given_rows (given_at);
