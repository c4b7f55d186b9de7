-- expanding: what a run changed is kept for a while, so that the run can be undone
-- The run that this one undoes.
alter table runs add column undoes bigint;
-- The day of the roll under which the run noted assessed values, while it can be undone; else null.
alter table runs add column undo_as_of date;
alter table runs drop constraint runs_status_check;
alter table runs add constraint runs_status_check
  check (status in ('running', 'merged', 'unchanged', 'blocked', 'failed', 'undone'));

-- Parcels as they were before a run changed, retired or took them over. Of a run that undoes another one only
-- digests of what it took back, by which the same source is recognized when it is run again.
create table undo_parcels (
  run_id bigint not null references runs on delete cascade,
  fips int not null,
  property_id bigint not null,
  -- The feed that has the parcel after the run.
  feed_id int not null,
  was jsonb not null,
  boundary bytea,
  primary key (run_id, property_id)
);
alter table undo_parcels alter column boundary set storage external;

-- Listings as they were before a roll's run changed them.
create table undo_listings (
  run_id bigint not null references runs on delete cascade,
  listing_id uuid not null,
  was jsonb not null,
  primary key (run_id, listing_id)
);
