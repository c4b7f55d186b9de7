-- Filters that companies keep, and the parcels that they find: people and programs are told what is added,
-- removed and changed.
create table searches (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  -- As which of its calls months and years are counted, and webhooks are found.
  account_id uuid not null references accounts (id),
  name text not null,
  -- A body of properties/filter/, as it was sent.
  filter jsonb not null,
  -- Where it can find something; nothing else is looked at.
  counties int[] not null,
  notify text not null check (notify in ('none', 'daily', 'at_once')),
  webhook_id uuid references webhooks (id) on delete set null,
  -- Up to which change the members are what the filter finds.
  seq bigint not null,
  created_at timestamptz not null default now()
);

create index searches_company on searches (company_id);

-- Users of the company who are mailed; each with what the link that ends it says.
create table search_readers (
  search_id uuid not null references searches (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  token uuid not null unique default gen_random_uuid(),
  -- Up to which note they were mailed, and when last.
  mailed_n bigint not null,
  mailed_at timestamptz not null,
  primary key (search_id, user_id)
);

-- What a search finds.
create table search_members (
  search_id uuid not null references searches (id) on delete cascade,
  property_id bigint not null,
  primary key (search_id, property_id)
);

create index search_members_parcel on search_members (property_id);

-- What became of parcels in a search, by the change that it took note of; one worker writes at a time, so
-- that numbers are in the order of commits.
create table search_changes (
  n bigint generated always as identity primary key,
  search_id uuid not null references searches (id) on delete cascade,
  at timestamptz not null,
  property_id bigint not null,
  became text not null check (became in ('added', 'removed', 'changed')),
  -- Null where nothing of the parcel was noted: time went on, or its land was measured.
  seq bigint
);

create index search_changes_search on search_changes (search_id, n);
create index search_changes_at on search_changes (at);

-- How far people have looked at what is new.
create table search_views (
  search_id uuid not null references searches (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  n bigint not null,
  primary key (search_id, user_id)
);
