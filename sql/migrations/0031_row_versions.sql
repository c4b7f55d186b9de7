-- expanding: every parcel carries the number of its last change
-- Each transaction that changes parcels draws one number for all of them (workers/changes/record-changes.ts).
create sequence row_version;

-- The numbers in the order of commits, n, which is drawn under the lock of the changes: a long merge draws its
-- number early and commits late. 0 is the number of parcels from before this migration.
create table row_versions (
  n bigint generated always as identity primary key,
  version bigint not null unique,
  at timestamptz not null
);
create index row_versions_at on row_versions (at);
insert into row_versions (version, at) values (0, now());

alter table parcels add column row_version bigint not null default 0;
alter table parcel_filters add column row_version bigint not null default 0;
