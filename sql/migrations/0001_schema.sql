-- The schema of the first release, family by family. Geometry is kept in integers of 1e-7 degree throughout,
-- as core operators compare with a tolerance of 1e-6 units.

-- Words and pieces of words; with btree_gin within a county.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;


-- ==== Queue ====

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
  finished_at timestamptz,
  -- Who runs it, null between its attempts.
  worker text,
  -- How many attempts ended without a word because their worker died.
  deaths int not null default 0,
  -- When the next attempt begins after one that failed.
  next_at timestamptz
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


-- ==== Feeds: their runs, and every row that a run could not use ====

create table feeds (
  id int generated always as identity primary key,
  name text not null unique,
  kind text not null check (
    kind in (
      'assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'zips', 'contacts', 'numbering', 'dnc', 'imagery'
    )
  ),
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


-- ==== Accounts: who may call, under which terms, and what they used ====

create table companies (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default now()
);

create table users (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  email text not null,
  name text not null default '',
  created_at timestamptz not null default now(),
  -- Whether the user may see and steer the whole installation.
  operator boolean not null default false,
  -- For accounts, whose user is of their own company.
  unique (id, company_id)
);

-- One user an address, however it is written.
create unique index users_email on users (lower(email));
create index users_company on users (company_id);

create table tiers (
  name text primary key,
  tokens_included bigint not null check (tokens_included >= 0),
  -- US cents for 1,000 tokens of overage.
  overage_cents_per_1000 int not null check (overage_cents_per_1000 >= 0),
  -- Whether keys may call the REST API directly.
  direct boolean not null
);

-- This program's own figures: 5,000 tokens are 500 market statistics. `plat tier set` changes them.
insert into tiers (name, tokens_included, overage_cents_per_1000, direct) values
  ('free', 500, 0, false),
  ('starter', 5000, 500, true),
  ('growth', 50000, 400, true),
  ('scale', 500000, 300, true);

create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  pro boolean not null default true,
  -- An account without a tier has no contract, and so no period. A contract keeps the terms under which it
  -- was made.
  tier text references tiers (name),
  tokens_included bigint not null check (tokens_included >= 0),
  overage_allowed boolean not null default false,
  payment_method boolean not null default false,
  invoice_paid boolean not null default true,
  -- The most tokens of overage in one period; null for no ceiling.
  backstop_tokens bigint check (backstop_tokens >= 0),
  -- The most a period may use; null for no ceiling.
  tokens_allowed bigint generated always as (
    tokens_included + case when overage_allowed and payment_method then backstop_tokens else 0 end
  ) stored,
  rate_per_minute int not null default 60 check (rate_per_minute > 0),
  rate_burst int not null default 120 check (rate_burst > 0),
  -- Periods start whole months after the anchor (a month's last day where it has no such day), so a period
  -- that begins on the 31st does not drift to the 28th for ever after one February.
  period_anchor timestamptz,
  period_start timestamptz,
  period_end timestamptz check (period_end > period_start),
  created_at timestamptz not null default now(),
  company_id uuid not null references companies (id),
  overage_cents_per_1000 int not null default 0 check (overage_cents_per_1000 >= 0),
  -- Skip traces have a limit of their own besides that of all calls.
  skip_trace_per_minute int not null default 20 check (skip_trace_per_minute > 0),
  user_id uuid,
  -- How often the terms were changed. A charge that waits for its period while the account is changed finds
  -- the period under other terms than those it has read, and reads again.
  terms int not null default 0,
  -- Since when the account's keys are refused; null while they are not.
  disabled_at timestamptz,
  -- Whether it may trace people.
  skip_trace boolean not null default true,
  constraint accounts_contract check (
    case when tier is null then coalesce(period_anchor, period_start, period_end) is null
    else period_anchor is not null and period_start is not null and period_end is not null end
  ),
  -- A user who goes to another company takes the accounts along.
  constraint accounts_user foreign key (user_id, company_id) references users (id, company_id) on update cascade
);

create index accounts_company on accounts (company_id);
create index accounts_user_id on accounts (user_id);
-- For those whose period is over.
create index accounts_period_end on accounts (period_end);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id),
  name text not null,
  -- SHA-256 of the key, which has 256 bits of its own: a slow hash would add nothing.
  key_hash bytea not null unique,
  -- The first characters, to tell keys apart.
  prefix text not null,
  scopes text[] not null default '{api:direct}',
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);

create index api_keys_account on api_keys (account_id);

-- What a period used: the row that a charge locks, so that it can never pass what the account may use.
create table usage_periods (
  account_id uuid not null references accounts (id),
  period_start timestamptz not null,
  tokens_used bigint not null default 0,
  -- The terms of a period that is over; of the current one they are the account's.
  period_end timestamptz,
  tier text,
  tokens_included bigint,
  overage_cents_per_1000 int,
  -- The account's, when the period was last current.
  terms int not null default 0,
  primary key (account_id, period_start)
);

-- Sorted by code points, whatever the database's own order is: the primary key is read in the order of the
-- answer.
create table usage_daily (
  account_id uuid not null references accounts (id),
  period_start timestamptz not null,
  day date not null,
  endpoint text collate "C" not null,
  mode text collate "C" not null check (mode in ('direct', 'mcp')),
  tokens bigint not null default 0,
  calls bigint not null default 0,
  primary key (account_id, period_start, day, endpoint, mode)
);

-- Both limits of an account in one row: asked at once, and a call that one of them refuses takes nothing from
-- the other. Losing the rows in a crash refills the buckets, which is why the table needs no log.
create unlogged table rate_buckets (
  account_id uuid primary key,
  -- The limits as they were last asked for.
  per_minute int not null,
  burst int not null,
  skip_trace_per_minute int not null,
  -- In 60 millionths of a call: what a limit of one call a minute gains in a microsecond, the clock's step.
  -- So refilling is exact.
  level bigint not null,
  -- How many calls the last statement let through: an upsert can return the new row only.
  plain_admitted int not null,
  skip_traces_admitted int not null,
  updated_at timestamptz not null,
  -- The moments of the last skip traces, the oldest first: they are at most so many in any sliding minute,
  -- which a bucket that refills would let pass twice. Older ones than a minute are dropped with the next skip
  -- trace.
  skip_traces timestamptz[] not null default '{}'
) with (fillfactor = 50);

-- Calls with an Idempotency-Key: being answered (status is null) or answered. Rows live 24 hours.
create table idempotent_calls (
  account_id uuid not null references accounts (id),
  key text not null,
  -- SHA-256 of what was asked for.
  fingerprint bytea not null,
  -- The attempt that answers it, and until when others wait for that.
  claim uuid not null,
  claimed_until timestamptz not null,
  created_at timestamptz not null,
  status int,
  body bytea,
  primary key (account_id, key)
);

create index idempotent_calls_age on idempotent_calls (created_at);

-- The key that signs the cursors of paged lists: one row, made here at random, because every API process must
-- take what another one has signed. Two UUIDs of version 4 from the server's strong random source: 244 random
-- bits. CURSOR_SECRET in the environment takes its place.
create table cursor_secret (
  id boolean primary key default true check (id),
  secret bytea not null
);

insert into cursor_secret (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));


-- ==== Accounts: how people and assistants sign in; of tokens only hashes are kept ====

-- Apart from the users, whose every change the audit table copies.
create table passwords (
  user_id uuid primary key references users (id) on delete cascade,
  -- Argon2id in PHC string format.
  hash text not null,
  changed_at timestamptz not null default now()
);

create table sessions (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  user_id uuid not null references users (id) on delete cascade,
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

create index sessions_user on sessions (user_id);

create table sign_in_links (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- sign_in opens a session; reset and invite ask for a new password first.
  purpose text not null check (purpose in ('sign_in', 'reset', 'invite')),
  expires_at timestamptz not null
);

create index sign_in_links_user on sign_in_links (user_id);

-- What the authorization server for assistants keeps (oidc-provider's models): registered clients, grants,
-- tokens, codes and sign-ins under way.
create table oauth_records (
  model text not null,
  -- SHA-256 of the token, code or other id.
  id_hash bytea not null,
  -- What the library knows of it, without the id.
  payload jsonb not null,
  -- The grant that it belongs to, by the hash of its id; a grant's own row has none.
  grant_hash bytea,
  account_id uuid references accounts (id) on delete cascade,
  created_at timestamptz not null default now(),
  consumed_at timestamptz,
  -- A client goes when nobody lets it in within an hour, else with its last grant.
  expires_at timestamptz,
  primary key (model, id_hash)
);

create index oauth_records_grant on oauth_records (grant_hash) where grant_hash is not null;
create index oauth_records_account on oauth_records (account_id) where account_id is not null;
create index oauth_records_expiry on oauth_records (expires_at) where expires_at is not null;
create index oauth_records_clients on oauth_records (created_at) where model = 'Client';
create index oauth_records_grants on oauth_records ((payload ->> 'clientId')) where model = 'Grant';


-- ==== Accounts: who changed what ====

-- Every change of an account, a key, a company, a user or a tier; never updated, never deleted.
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  entity text not null,
  entity_id text not null,
  account_id uuid,
  -- Of an update only what changed.
  before jsonb,
  after jsonb
);

create index audit_account on audit (account_id, id);
-- The changes of one thing.
create index audit_entity on audit (entity, entity_id);

-- Who: the setting plat.actor of the transaction, else the database's user. `terms` counts what the changes
-- beside it tell.
create function record_change() returns trigger language plpgsql as $$
declare
  hidden constant text[] := '{key_hash,last_used_at,tokens_allowed,terms}';
  old_row constant jsonb := case when tg_op = 'INSERT' then null else to_jsonb(old) - hidden end;
  new_row constant jsonb := case when tg_op = 'DELETE' then null else to_jsonb(new) - hidden end;
  whole constant jsonb := coalesce(new_row, old_row);
  same constant text[] := case when tg_op = 'UPDATE' then array(
    select o.key from jsonb_each(old_row) as o join jsonb_each(new_row) as n on n.key = o.key and n.value = o.value
  ) else '{}' end;
begin
  if tg_op = 'UPDATE' and old_row = new_row then
    return null;
  end if;
  insert into audit (actor, action, entity, entity_id, account_id, before, after)
  values (
    coalesce(nullif(current_setting('plat.actor', true), ''), session_user), lower(tg_op), tg_table_name,
    coalesce(whole ->> 'id', whole ->> 'name'),
    case tg_table_name when 'accounts' then whole ->> 'id' else whole ->> 'account_id' end::uuid,
    old_row - same, new_row - same
  );
  return null;
end
$$;

create trigger record_change after insert or update or delete on accounts
  for each row execute function record_change();
-- A key's last use is no change.
create trigger record_change after insert or update of account_id, name, key_hash, prefix, scopes, expires_at, revoked_at or delete on api_keys
  for each row execute function record_change();
create trigger record_change after insert or update or delete on companies
  for each row execute function record_change();
create trigger record_change after insert or update or delete on tiers
  for each row execute function record_change();
create trigger record_change after insert or update or delete on users
  for each row execute function record_change();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The table % keeps what it has: % is refused.', tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

create trigger keeps_all before update or delete or truncate on audit
  for each statement execute function refuse_change();


-- ==== Parcels ====

-- The next serial of a county's property_id. A serial is never handed out twice.
create table county_serials (
  fips int primary key,
  last_serial bigint not null
);

-- Partitioned by state: a range of FIPS codes each, created when the first parcel of a state arrives.
create table parcels (
  fips int not null,
  -- fips * 100,000,000 + serial: tells the county by itself and survives every re-ingest.
  property_id bigint not null,
  feed_id int not null,
  -- The feed's normalised key of the parcel.
  source_key text not null,

  apn text,
  -- Upper case, without spaces, dashes and dots.
  apn_normalized text,

  location point,
  extent box,
  boundary bytea,
  acres double precision,
  calculated_acres double precision,
  effective_acres double precision generated always as (coalesce(acres, calculated_acres)) stored,

  owner_name text,
  owner_name_2 text,
  mail_address text,
  mail_city text,
  mail_state text,
  mail_zip text,
  situs_address text,
  situs_city text,
  situs_state text,
  situs_zip text,

  subdivision text,
  zoning_code text,
  land_use_code text,
  school_district text,
  structure_count int,
  building_sqft double precision,
  year_built int,

  assessed_total_value bigint,
  assessed_land_value bigint,
  assessed_improvement_value bigint,
  market_total_value bigint,
  market_land_value bigint,
  market_improvement_value bigint,
  tax_delinquent boolean,
  tax_delinquent_year int,

  last_sale_date date,
  last_sale_price bigint,
  sale_price_code text,
  seller_name text,
  document_type_code text,
  inter_family_transfer boolean,
  mortgage_amount bigint,
  mortgage_date date,
  mortgage_financing_type_code text,
  mortgage_loan_type_code text,
  mortgage_interest_rate double precision,
  owner_occupied boolean,
  vacant boolean,

  -- 128-bit digests of the attributes and of the geometry as ingested: equal means unchanged.
  roll_hash uuid,
  shape_hash uuid,
  created_run bigint not null,
  changed_run bigint not null,
  -- A parcel that left the roll keeps its row and its id.
  retired_run bigint,
  retired_at timestamptz,

  primary key (fips, property_id)
) partition by range (fips);

-- Compressed by its own code already.
alter table parcels alter column boundary set storage external;

create unique index parcels_source on parcels (fips, feed_id, source_key);
create index parcels_apn on parcels (fips, apn_normalized) where retired_at is null;

-- What filters read: one narrow row a parcel on the roll, of fixed-width columns alone, so that a filter is
-- an index or a short scan. Partitioned like parcels. Derived at ingestion from the same roll, in the same
-- transaction; a retired parcel has no row here.
create table parcel_filters (
  fips int not null,
  property_id bigint not null,
  -- Null where the parcel has no geometry.
  location point,
  extent box,
  effective_acres double precision,
  situs_zip int,
  -- Hash of the normalised mailing address; parcels that share it form a portfolio. Null without an address.
  owner_key uuid,

  building_sqft double precision,
  improvement_percent double precision,
  mortgage_interest_rate double precision,
  assessed_total_value bigint,
  assessed_land_value bigint,
  assessed_improvement_value bigint,
  market_total_value bigint,
  market_land_value bigint,
  market_improvement_value bigint,
  last_sale_price bigint,
  mortgage_amount bigint,
  last_sale_date date,
  mortgage_date date,
  structure_count int,
  year_built smallint,
  tax_delinquent_year smallint,

  tax_delinquent boolean,
  owner_occupied boolean,
  out_of_state_owner boolean,
  out_of_county_owner boolean,
  out_of_zip_owner boolean,
  -- By the documented word lists; null without an owner name.
  corporate_owner boolean,
  hoa_owner boolean,
  inter_family_transfer boolean,
  vacant boolean,

  -- From the land layers; null until a layer covers the parcel.
  landlocked boolean,
  wetlands_percent real,
  flood_zone_percent real,
  highway_frontage_ft real,
  road_frontage_ft real,
  local_frontage_ft real,
  -- Percent of the area steeper than each of the 11 slope thresholds.
  steeper_percent real[],

  primary key (fips, property_id)
) partition by range (fips);

create index parcel_filters_zip on parcel_filters (situs_zip);
create index parcel_filters_location on parcel_filters using gist (location);
create index parcel_filters_extent on parcel_filters using gist (extent);
-- A county in the order of its acreage, a page at a time; read backwards for the largest first.
create index parcel_filters_acres on parcel_filters (fips, effective_acres, property_id);

-- Portfolios cross counties, which nothing else on a hot path does: they have a table of their own, keyed by
-- owner.
create table owner_parcels (
  owner_key uuid not null,
  property_id bigint not null,
  -- A parcel without a mailing ZIP belongs to the owner of the one ZIP that is found at its street, city and
  -- state: who that is is told by all parcels of the nation at the moment of the question, so each row keeps
  -- its place beside its owner. The key of a parcel without a ZIP is its place.
  place_key uuid,
  -- An owner's places are read from the index alone.
  primary key (owner_key, property_id) include (place_key)
);

-- Which ZIPs are found at a place.
create index owner_parcels_place on owner_parcels (place_key, owner_key) where owner_key <> place_key;

-- Names of owners are looked for without regard to case and accents: MULLER finds MÜLLER. A name of ASCII
-- alone, as nearly all are, is not translated. Combining accents go.
create function fold_name(name text) returns text
language sql immutable parallel safe
return case
  when octet_length(name) = char_length(name) then upper(name)
  else upper(translate(
    name,
    'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž' || U&'\0300\0301\0302\0303\0304\0306\0307\0308\030a\030b\030c\0327\0328',
    'AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhIiIiIiIiIiJjKkLlLlLlLlNnNnNnOoOoOoRrRrRrSsSsSsSsTtTtUuUuUuUuUuUuWwYyYZzZzZz'
  ))
end;

-- The words of the primary owners' names, county by county, each with the parcels whose owner has it. A piece
-- of text without a space is in a name exactly when it is in one of its words, so a search looks for the
-- words that hold the piece and needs no name: what many owners share (LLC, SMITH) is counted from one row.
-- Over 2,000,000 parcels SMITH takes 1 ms and LLC 4 ms; with trigrams of the whole names it was 390 and 880
-- ms, nearly all of it for reading the names of the parcels that were found, to make sure. Partitioned like
-- parcels.
create table owner_words (
  fips int not null,
  -- Folded, as it stands between two spaces: punctuation belongs to it ('SMITH,').
  word text not null,
  -- The serials of the parcels (property_id - fips * 100,000,000): 4 bytes each as int4send writes them, in
  -- no order.
  serials bytea not null,
  primary key (fips, word)
) partition by range (fips);

-- Serials do not compress.
alter table owner_words alter column serials set storage external;

-- Without a list of pending entries, which every search would have to read through after an ingestion.
create index owner_words_pieces on owner_words using gin (fips, word gin_trgm_ops) with (fastupdate = off);

-- What is known of each county's parcels, counted when its roll is merged: counting them for a page would
-- read the nation.
create table county_coverage (
  fips int primary key,
  parcels int not null,
  with_boundary int not null,
  with_owner int not null,
  with_acres int not null,
  with_values int not null,
  with_sale int not null,
  -- Whose rolls they are of.
  feed_ids int[] not null,
  -- Around the parcels, boundaries included, in degrees, so that a shape is looked for in these counties
  -- alone; null where none has a place.
  west double precision,
  south double precision,
  east double precision,
  north double precision
);


-- ==== Land: layers (elevation, roads, wetlands, flood zones) and what they tell of every parcel ====

-- The version of each layer that readers see: the run that was merged last. Areas of ZIPs and imagery are
-- drawn on the map, and nothing is computed from them.
create table land_layers (
  feed_id int primary key references feeds (id),
  kind text not null check (kind in ('elevation', 'roads', 'wetlands', 'flood', 'zips', 'imagery')),
  run_id bigint not null references runs (id),
  -- Where the layer is complete: what it does not show there is not there.
  coverage box not null,
  -- The county that it covers as a whole besides, where the feed says so.
  fips int,
  -- Roads: how far from a road of each class its frontage may lie, in metres, and how far from a private one,
  -- which gives access alone, a parcel: {"highway": 60, …, "private": 25}. Else null.
  reach_m jsonb,
  merged_at timestamptz not null default now()
);

-- The features that count: roads of the three classes, wetlands, special flood hazard areas.
create table layer_features (
  id bigint generated always as identity primary key,
  feed_id int not null references feeds (id),
  -- 128-bit digest of class and geometry: equal means unchanged.
  hash uuid not null,
  -- Roads: highway, normal or local; wetlands: the NWI code; flood: the FEMA zone.
  class text not null,
  extent box not null,
  -- Polygons as in parcels.boundary; lines in the line codec's bytes.
  geometry bytea not null,
  unique (feed_id, hash)
);

alter table layer_features alter column geometry set storage external;

create index layer_features_extent on layer_features using gist (extent);

-- The files of elevation layers: what has to be known to read a window of one without looking for it.
create table elevation_tiles (
  feed_id int not null references feeds (id),
  source text not null,
  -- Size and time of a file, ETag or Last-Modified of an address: tells whether it is still the one that was
  -- ingested.
  fingerprint text not null,
  extent box not null,
  width int not null,
  height int not null,
  -- The outer corner of the first cell and the size of a cell in units of the CRS; step_y is negative.
  origin_x double precision not null,
  origin_y double precision not null,
  step_x double precision not null,
  step_y double precision not null,
  -- As proj4 reads it: EPSG code, proj string or WKT.
  crs text not null,
  -- Metres that one unit of height is.
  unit_m double precision not null,
  nodata double precision,
  primary key (feed_id, source)
);

create index elevation_tiles_extent on elevation_tiles using gist (extent);

-- What the layers tell of a parcel, and from which geometry and versions it was computed. parcel_filters
-- carries what filters read of it. Partitioned like parcels. A row outlives its parcel's retirement.
create table parcel_attributes (
  fips int not null,
  property_id bigint not null,
  shape_hash uuid not null,
  -- Runs of the layers that covered the parcel; null where none of the kind did, and then so are its figures.
  elevation_runs bigint[],
  roads_runs bigint[],
  wetlands_runs bigint[],
  flood_runs bigint[],

  min_elevation_m real,
  mean_elevation_m real,
  max_elevation_m real,
  mean_slope_percent real,
  -- Percent of the area steeper than each of the 11 slope thresholds.
  steeper_percent real[],
  highway_frontage_ft real,
  road_frontage_ft real,
  local_frontage_ft real,
  landlocked boolean,
  wetlands_percent real,
  flood_zone_percent real,
  computed_at timestamptz not null default now(),
  primary key (fips, property_id)
) partition by range (fips);

-- Parcels whose attributes are out of date, and by which layers: 1 elevation, 2 roads, 4 wetlands, 8 flood,
-- added up.
create sequence attributes_marks;
create table attributes_dirty (
  fips int not null,
  property_id bigint not null,
  layers smallint not null check (layers between 1 and 15),
  -- Grows with every mark: one that came while the parcel was being computed is still there afterwards.
  mark bigint not null default nextval('attributes_marks'),
  -- The chunk in whose job the parcel is computed; null until that is planned.
  chunk bigint,
  primary key (fips, property_id)
);

create sequence attributes_chunks;
create index attributes_dirty_chunk on attributes_dirty (chunk);


-- ==== Imagery: what there is to draw parcels on ====

-- Files and servers of imagery; their pixels stay where they are.
create table imagery_sources (
  feed_id int not null references feeds (id),
  -- Path or address of a file, template of tiles, address of an ImageServer; of a relief the feed's name.
  source text not null,
  type text not null check (type in ('cog', 'xyz', 'arcgis_image', 'relief')),
  -- Tells the version that was ingested from others.
  fingerprint text not null,
  extent box not null,
  -- Metres on the ground that a pixel is wide in the middle of the extent.
  pixel_m double precision not null,
  captured date,
  -- What reading it takes, by type: size, transform, crs, range, nodata and alpha of a file; max_zoom,
  -- tile_size and headers of tiles.
  details jsonb not null,
  primary key (feed_id, source)
);

create index imagery_sources_extent on imagery_sources using gist (extent);

-- They sign the addresses of pictures: the newest one signs, the last two are valid.
create table image_secrets (
  id bigint generated always as identity primary key,
  secret bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  created_at timestamptz not null default now()
);

insert into image_secrets default values;


-- ==== Market: listings and sales ("comps"), the history of each, and the statistics of regions ====

create table listings (
  -- UUID v5 of source and source_id: the same listing has the same id in every installation.
  id uuid primary key,
  feed_id int not null references feeds (id),
  source text not null,
  source_id text not null,
  -- OFF_MARKET: withdrawn, expired, cancelled, or gone from a feed that lists everything. Kept for the
  -- history.
  status text not null check (status in ('ACTIVE', 'PENDING', 'SOLD', 'OFF_MARKET')),

  address text not null default '',
  city text not null default '',
  state text not null default '',
  zip text not null default '',
  county text not null default '',
  apn text not null default '',
  location point,
  -- Resolved: the feed's FIPS, else county name and state, else the county polygon that holds the point.
  fips int,
  lot_acres double precision,
  price numeric(14, 2) not null,
  listed_date date,
  status_date date,
  sold_date date,
  -- The feed's own figure; where it gives none, the days are counted from listed_date.
  days_on_market int,
  sale_type text not null default '',
  url text not null default '',
  photos text[] not null default '{}',

  row_hash uuid not null,
  created_run bigint not null,
  changed_run bigint not null,

  -- What was asked last for a SOLD listing, where its source says so beside the closing price (ListPrice of
  -- the RESO Data Dictionary); with it and the history the list-to-sale ratio is estimated.
  asked_price numeric(14, 2),
  -- How often it was looked at and saved, where its source tells.
  views int,
  saves int,
  unique (source, source_id)
);

create index listings_county on listings (fips, status) where status <> 'OFF_MARKET';
create index listings_zip on listings (zip, status) where status <> 'OFF_MARKET';
create index listings_location on listings using gist (location) where status <> 'OFF_MARKET';
create index listings_feed on listings (feed_id) where status in ('ACTIVE', 'PENDING');
-- Deals are found by the address of their page, and people paste the street address of a listing.
create index listings_url on listings using hash (url) where url <> '';
create index listings_address on listings (upper(address) text_pattern_ops) where status in ('ACTIVE', 'PENDING') and address <> '';

-- One row for every change of status or price, first sight included.
create table listing_events (
  listing_id uuid not null references listings (id),
  run_id bigint not null,
  status text not null,
  price numeric(14, 2) not null,
  -- The day the source gives for the status, where it gives one.
  status_date date,
  recorded_at timestamptz not null default now(),
  primary key (listing_id, run_id)
);

-- The listings that count in statistics, in the columns and the order that the statistics read. The status is 0
-- for ACTIVE, 1 for PENDING, 2 for SOLD. Where the feed gives no days on market they run from the listing to the
-- latest change, and are unknown where a listing begins after it ended.
create view counted_listings as
select
  l.fips,
  l.zip,
  (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char" as status,
  (l.price * 100)::int8 as cents,
  l.lot_acres,
  l.sold_date,
  coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days_on_market,
  f.as_of as feed_day
from listings l
join feeds f on f.id = l.feed_id
cross join lateral (select coalesce(l.status_date, l.sold_date) as day) as latest
where l.status <> 'OFF_MARKET'
  and l.lot_acres > 0
  and l.price > 0;

-- Counties and ZIPs of the United States: what market statistics are computed for and saved markets point at.
create table regions (
  id uuid primary key,
  type text not null check (type in ('county', 'zip')),
  code text not null check (code ~ '^[0-9]{5}$'),
  name text not null,
  state text not null check (state ~ '^[A-Z]{2}$'),
  county_name text not null,
  -- The county itself, or the one that the ZIP falls in.
  fips int not null check (fips between 1001 and 78999),
  -- The words by which it is found, each after a space: its FIPS or ZIP, the same without leading zeros, its
  -- state and the name of its county, in lower case, without accents and apostrophes, hyphens and dots taken
  -- for spaces: ' 35013 35013 nm dona ana county'. What people type is treated alike.
  search_words text not null generated always as (
    ' ' || regexp_replace(
      regexp_replace(
        lower(regexp_replace(
          normalize(code || ' ' || ltrim(code, '0') || ' ' || state || ' ' || county_name, NFD), '[\u0300-\u036f]', '', 'g'
        )),
        '[''’]', '', 'g'
      ),
      '[\s.,/()-]+', ' ', 'g'
    )
  ) stored,
  unique (type, code)
);

create index regions_fips on regions (fips);
create index regions_search_words on regions using gin (search_words gin_trgm_ops);

-- One row a region, always: the exact bytes that the market-stats endpoint sends, so that reading them is one
-- look-up by primary key and a recompute is one atomic update.
create table region_stats (
  type text not null,
  code text not null,
  body bytea not null,
  etag text not null,
  as_of date,
  listings int not null default 0,
  computed_at timestamptz,
  primary key (type, code),
  foreign key (type, code) references regions (type, code)
);

-- The body is read far more often than written, and decompressing it would cost more than its pages.
alter table region_stats alter column body set storage external;

-- Regions whose listings changed since their statistics were computed.
create table stats_dirty (
  type text not null,
  code text not null,
  marked_at timestamptz not null default clock_timestamp(),
  primary key (type, code)
);

-- Regions that a company has pinned, with its own label of how far it is with each.
create table saved_markets (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  -- A correction of the regions may give one another id.
  region_id uuid not null references regions (id) on update cascade,
  status text not null default '',
  -- The pinned order; a new market comes last. Markets that were removed leave gaps.
  position int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A region once a company.
  unique (company_id, region_id)
);

create index saved_markets_region on saved_markets (region_id);


-- ==== Valuation: what every parcel with acreage and a point is worth by the sales around it ====

-- One row a parcel that has relevant comps. Partitioned like parcels.
create table valuations (
  fips int not null,
  property_id bigint not null,
  mean_price double precision not null,
  mean_ppa double precision not null,
  mean_adjusted_price double precision not null,
  mean_adjusted_ppa double precision not null,
  gini_index real not null,
  confidence_score real not null,
  -- An 80 % interval of the price.
  low_price double precision not null,
  high_price double precision not null,
  -- The parcel lies outside of what the comps cover.
  out_of_support boolean not null,
  -- The comps used, packed: each one's id and how its price per acre was moved.
  comps bytea not null,
  as_of date not null,
  model_version text not null,
  computed_at timestamptz not null default now(),
  primary key (fips, property_id)
) partition by range (fips);

create table valuation_counties (
  fips int primary key,
  -- Where the parcels of the county are that were valued, and where comps can be that matter to them.
  extent box,
  reach box,
  -- What the county's sales say by themselves, for other counties to borrow from (CountyEstimates).
  estimates jsonb,
  model_version text,
  -- The day of its valuations, which coverage tells without reading them.
  as_of date
);

-- Counties to be valued anew.
create table valuations_dirty (
  id bigint generated always as identity primary key,
  fips int not null
);

create index valuations_dirty_fips on valuations_dirty (fips);

-- The land of comps: which parcel of the roll each is a sale of, and what the land layers tell of it, side by
-- side with the comps, so that valuations need not look for 100,000 parcels. A comp of whose land nothing is
-- known has no row.
create table comp_land (
  listing_id uuid primary key,
  fips int not null,
  property_id bigint not null,
  -- Percent of the area steeper than 15 %.
  steep_percent real,
  -- Along all counting roads together.
  frontage_ft real,
  flood_percent real,
  wetlands_percent real
);

create index comp_land_parcel on comp_land (fips, property_id);


-- ==== Comping: what a person has chosen from the comps around a parcel, and what was true when they did ====

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
  -- Each a ReportSnapshot: what the report goes by, and what it would go by if it were made now.
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


-- ==== Deals: what a person sells, stage by stage, with the live listing, its grade and the advice ====

-- A board is a user's, or that of an account without one. Its row is the lock under which the board changes,
-- and the version tells that it did.
create table deal_boards (
  id uuid primary key default gen_random_uuid(),
  user_id uuid unique references users (id) on delete cascade,
  account_id uuid unique references accounts (id),
  version bigint not null default 0,
  check (num_nonnulls(user_id, account_id) = 1)
);

create table deals (
  id uuid primary key default gen_random_uuid(),
  board_id uuid not null references deal_boards (id) on delete cascade,
  status text not null check (status in ('listed', 'offer_received', 'offer_accepted', 'in_title', 'sold', 'on_hold', 'canceled', '')),
  -- Place in the column of its stage, from 0 without gaps.
  position int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- What the deal is of: one of these was given, the others are found.
  property_id bigint,
  listing_id uuid,
  listing_url text,

  deal_type text not null default 'cash_close' check (deal_type in ('cash_close', 'double_close')),
  purchase_price numeric(12, 2) check (purchase_price >= 0),
  agent_fee numeric(12, 2) check (agent_fee >= 0),
  misc_costs numeric(12, 2) check (misc_costs >= 0),
  closing_costs numeric(12, 2) check (closing_costs >= 0),
  expected_sell_price numeric(12, 2) check (expected_sell_price >= 0),
  contract_expiration_date date,
  closing_date date,
  -- Said by the person, and the listing's own price at that moment: as soon as the listing shows another one,
  -- that counts.
  own_price numeric(12, 2) check (own_price >= 0),
  own_price_over numeric(12, 2),

  -- The live listing. waiting: not looked for yet; ended: sold or off the market.
  fetch_status text not null default 'waiting'
    check (fetch_status in ('waiting', 'found', 'ended', 'not_found', 'no_provider', 'provider_failed')),
  fetched_at timestamptz,
  -- When the live listing was seen last; null until the fetch is done.
  seen_at timestamptz,
  fips int,
  address text,
  county text,
  state text,
  acreage double precision,
  listed_price numeric(12, 2),
  days_on_market int,
  views int,
  saves int,
  price numeric(12, 2) generated always as (coalesce(own_price, listed_price)) stored,
  expected_profit numeric(13, 2) generated always as (
    coalesce(expected_sell_price, own_price, listed_price, 0) - coalesce(purchase_price, 0) - coalesce(agent_fee, 0)
      - coalesce(misc_costs, 0) - coalesce(closing_costs, 0)
  ) stored,

  traction_score int,
  price_advantage int,
  listing_grade text not null default '',
  suggested_action text not null default '' check (suggested_action in ('', 'drop', 'relist', 'hold')),
  suggested_action_price numeric(12, 2),
  -- What the grade and the advice were made of.
  figures jsonb,
  -- A price that stands for a listing where none is found, since the day it was first set; null for one that
  -- was set beside a live listing.
  own_price_since date,
  -- What the advice rests on and what it does to the profit, as answered.
  advice jsonb,

  check (status = 'listed' or suggested_action = ''),
  check ((suggested_action = 'drop') = (suggested_action_price is not null)),
  -- So that the profit has at most 10 digits before the point.
  check (
    coalesce(purchase_price, 0) + coalesce(agent_fee, 0) + coalesce(misc_costs, 0) + coalesce(closing_costs, 0) <= 9999999999.99
  )
);

create index deals_board on deals (board_id, status, position);
create index deals_county on deals (fips) where status = 'listed' or seen_at is null;

-- Every change that a person would ask about: who made it, when, why, and the figures after it. Kept also of
-- deals that were removed.
create table deal_events (
  id bigint generated always as identity primary key,
  deal_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  author text not null,
  cause text not null,
  -- By field what it was and what it became, as text.
  changes jsonb not null,
  price numeric(12, 2),
  price_advantage int,
  traction_score int
);

create index deal_events_deal on deal_events (deal_id, id);

create function record_deal_change() returns trigger language plpgsql as $$
declare
  kept constant text[] := '{status,deal_type,purchase_price,agent_fee,misc_costs,closing_costs,expected_sell_price,contract_expiration_date,closing_date,price,fetch_status,listing_grade,price_advantage,traction_score,suggested_action,suggested_action_price}';
  was constant jsonb := case when tg_op = 'INSERT' then '{}'::jsonb else to_jsonb(old) end;
  is_now constant jsonb := case when tg_op = 'DELETE' then '{}'::jsonb else to_jsonb(new) end;
  changed jsonb;
begin
  select jsonb_object_agg(field, jsonb_build_array(was ->> field, is_now ->> field)) into changed
  from unnest(kept) as field
  where was ->> field is distinct from is_now ->> field;
  if changed is null then
    return null;
  end if;
  insert into deal_events (deal_id, author, cause, changes, price, price_advantage, traction_score)
  values (
    (coalesce(is_now ->> 'id', was ->> 'id'))::uuid,
    coalesce(nullif(current_setting('plat.actor', true), ''), session_user),
    coalesce(nullif(current_setting('plat.cause', true), ''), 'edited'),
    changed, (is_now ->> 'price')::numeric, (is_now ->> 'price_advantage')::int, (is_now ->> 'traction_score')::int
  );
  return null;
end
$$;

-- Not of `position`: a column whose cards make room for another changes in nothing that people ask about.
create trigger record_deal_change after insert or delete or update of
  status, deal_type, purchase_price, agent_fee, misc_costs, closing_costs, expected_sell_price, contract_expiration_date, closing_date,
  own_price, listed_price, fetch_status, listing_grade, price_advantage, traction_score, suggested_action, suggested_action_price
on deals for each row execute function record_deal_change();


-- ==== Contacts: people and entities with their telephone numbers, whom to leave alone, and who asked ====

-- Not a county's: people move, and are asked for by name and address, so that no county could be named in the
-- statement.
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
  -- Hashes of the texts that it is searched by.
  keys bigint[] not null,
  row_hash uuid not null,
  changed_run bigint not null,
  check ((entity_name is null) <> (first_name is null and last_name is null))
);

create index contacts_keys on contacts using gin (keys);
create index contacts_feed on contacts (feed_id);

-- Whom no source may return any more: HMACs of a name with a ZIP or city, and of telephone numbers. The list
-- says nothing to who does not know the person, and outlives what is ingested.
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

-- What providers of telephone numbers have answered, and what they charged.
create table provider_answers (
  -- HMAC of the provider and what it was asked.
  question bytea primary key,
  provider text not null,
  asked_at timestamptz not null default now(),
  -- {first_name, last_name, phones}; null when it knew nobody.
  answer jsonb,
  -- HMACs by which the suppression list would know who was asked for and found: what is to be forgotten is
  -- found by them.
  tags bytea[] not null
);

create index provider_answers_asked_at on provider_answers (asked_at);
create index provider_answers_tags on provider_answers using gin (tags);

create table provider_usage (
  provider text not null,
  day date not null,
  calls int not null default 0,
  matches int not null default 0,
  failures int not null default 0,
  -- US cents by the setting of that day; null where none was set.
  cents numeric(12, 2),
  primary key (provider, day)
);

-- Blocks of the numbering plan and whose lines they are.
create table number_blocks (
  -- Area code and exchange.
  prefix int not null check (prefix between 200000 and 999999),
  -- The thousand-block, -1 for the whole exchange.
  block smallint not null check (block between -1 and 9),
  feed_id int not null references feeds (id),
  operator text,
  line_type text check (line_type in ('Mobile', 'Landline')),
  row_hash uuid not null,
  primary key (prefix, block, feed_id)
);

-- The Do Not Call registry: a bit for each number of an area code and exchange, the last four digits counting
-- from 0.
create table dnc_numbers (
  prefix int primary key,
  bits bytea not null check (length(bits) = 1250)
);
-- Random bits do not compress, and 1,250 bytes fit into the page: reading one is reading one page.
alter table dnc_numbers alter column bits set storage plain;

-- Of which area codes the registry is known, and as of which day.
create table dnc_areas (
  area_code smallint primary key,
  edition date not null,
  numbers int not null,
  feed_id int not null references feeds (id),
  changed_run bigint not null
);
