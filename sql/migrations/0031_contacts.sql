-- People and entities with their telephone numbers, whom to leave alone, and who asked.

alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check check (
  kind in ('assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'contacts', 'numbering', 'dnc')
);

-- Not a county's: people move, and are asked for by name and address, so that no county could be named in the statement.
create table contacts (
  -- UUID v5 of the feed and source_id.
  id uuid primary key,
  feed_id int not null references feeds (id),
  source text not null,
  source_id text not null,
  -- Of an entity; a person has first and last name.
  entity_name text,
  first_name text,
  middle_name text,
  last_name text,
  suffix text,
  -- [{address, city, state, zip}], the current one first.
  places jsonb not null,
  -- [{number, line_type}], the best first.
  phones jsonb not null,
  emails text[] not null default '{}',
  last_seen date,
  -- Hashes of the texts that it is searched by: see shared/kernels/person/match.ts.
  keys bigint[] not null,
  row_hash uuid not null,
  changed_run bigint not null,
  check ((entity_name is null) <> (first_name is null and last_name is null))
);

create index contacts_keys on contacts using gin (keys);
create index contacts_feed on contacts (feed_id);

-- Whom no source may return any more: HMACs of a name with a ZIP or city, and of telephone numbers. The list says nothing to who does not
-- know the person, and outlives what is ingested.
create table contact_suppressions (
  hash bytea not null,
  -- The request that it belongs to.
  request uuid not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (hash, request)
);

-- The key of those HMACs, which never changes: with another one the list would be lost.
create table contact_secret (
  only_one boolean primary key default true check (only_one),
  secret bytea not null
);
insert into contact_secret (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Every trace that was answered. No name, no address and no telephone number is in it.
create table traces (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  -- null for a caller without an API key.
  key_id uuid,
  asked_at timestamptz not null default now(),
  endpoint text not null,
  -- HMAC of what was asked, the same for the same question.
  question bytea not null,
  -- What answered: contacts, a provider's name, or none.
  source text not null,
  matched boolean not null
);

create index traces_account on traces (account_id, asked_at);
create index traces_asked_at on traces (asked_at);

-- Whether an account may trace people.
alter table accounts add column skip_trace boolean not null default true;
