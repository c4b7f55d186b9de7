-- The key that signs the cursors of paged lists: one row, made here at random, because every API process must take what
-- another one has signed. Two UUIDs of version 4 from the server's strong random source: 244 random bits.
-- CURSOR_SECRET in the environment takes its place.
create table cursor_secret (
  id boolean primary key default true check (id),
  secret bytea not null
);

insert into cursor_secret (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- A county in the order of its acreage, a page at a time; read backwards for the largest first.
create index parcel_filters_acres on parcel_filters (fips, effective_acres, property_id);
