-- The schema after all migrations. Written by `npm run generate`; `npm run check` compares it.

create extension if not exists btree_gin;

create extension if not exists pg_trgm;

create sequence attributes_chunks as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

create sequence attributes_marks as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

create sequence row_version as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

CREATE OR REPLACE FUNCTION public.fold_name(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(name) = char_length(name)) THEN upper(replace(replace(name, ''''::text, ''::text), '`'::text, ''::text)) ELSE upper(translate(name, ('ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž'::text || '''`´‘’‚ʼ­̧̨̀́̂̃̄̆̇̈̊̋̌'::text), 'AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhIiIiIiIiIiJjKkLlLlLlLlNnNnNnOoOoOoRrRrRrSsSsSsSsTtTtUuUuUuUuUuUuWwYyYZzZzZz'::text)) END;

CREATE OR REPLACE FUNCTION public.plain_words(text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (text !~ '[^A-Z0-9 ]'::text) THEN text ELSE translate(text, ' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz!"#$%&()*+,-./:;<=>?@[\]^_{|}~	
 ¡¦§©«¬®°±¶·»¿÷×‐‑‒–—―“”„•…′″ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥħĨĩĪīĬĭĮįİıĳĴĵĶķĹĺĻļĽľŀŁłŃńŅņŇňŋŌōŎŏŐőœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ''`´‘’‚ʼ­̧̨̀́̂̃̄̆̇̈̊̋̌'::text, ' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ                                                                                           AAAAAACEEEEIIIINOOOOOOUUUUYAAAAAAÆCEEEEIIIIÐNOOOOOOUUUUYÞYAAAAAACCCCCCCCDDDDEEEEEEEEEEGGGGGGGGHHĦIIIIIIIIIIĲJJKKLLLLLLĿLLNNNNNNŊOOOOOOŒRRRRRRSSSSSSSSTTTTŦUUUUUUUUUUUUWWYYYZZZZZZS'::text) END;

CREATE OR REPLACE FUNCTION public.record_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.record_deal_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  kept constant text[] := '{status,deal_type,purchase_price,agent_fee,misc_costs,closing_costs,expected_sell_price,contract_expiration_date,closing_date,price,fetch_status,listing_grade,price_advantage,traction_score,suggested_action,suggested_action_price,advice_held_until,advice_dismissed_on}';
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
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The table % keeps what it has: % is refused.', tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.situs_text(address text, city text, zip text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (plain_words(COALESCE(address, ''::text)) || replace((' '::text || plain_words(((COALESCE(city, ''::text) || ' '::text) || COALESCE(zip, ''::text)))), ' '::text, ' @'::text));

create table accounts (
  id uuid default gen_random_uuid() not null,
  name text not null,
  pro boolean default true not null,
  tier text,
  tokens_included bigint not null,
  overage_allowed boolean default false not null,
  payment_method boolean default false not null,
  invoice_paid boolean default true not null,
  backstop_tokens bigint,
  tokens_allowed bigint generated always as ((tokens_included +
CASE
    WHEN (overage_allowed AND payment_method) THEN backstop_tokens
    ELSE (0)::bigint
END)) stored,
  rate_per_minute integer default 60 not null,
  rate_burst integer default 120 not null,
  period_anchor timestamp with time zone,
  period_start timestamp with time zone,
  period_end timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  company_id uuid not null,
  overage_cents_per_1000 integer default 0 not null,
  skip_trace_per_minute integer default 20 not null,
  user_id uuid,
  terms integer default 0 not null,
  disabled_at timestamp with time zone,
  skip_trace boolean default true not null,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_name_key UNIQUE (name),
  constraint accounts_backstop_tokens_check CHECK ((backstop_tokens >= 0)),
  constraint accounts_check CHECK ((period_end > period_start)),
  constraint accounts_contract CHECK (
CASE
    WHEN (tier IS NULL) THEN (COALESCE(period_anchor, period_start, period_end) IS NULL)
    ELSE ((period_anchor IS NOT NULL) AND (period_start IS NOT NULL) AND (period_end IS NOT NULL))
END),
  constraint accounts_overage_cents_per_1000_check CHECK ((overage_cents_per_1000 >= 0)),
  constraint accounts_rate_burst_check CHECK ((rate_burst > 0)),
  constraint accounts_rate_per_minute_check CHECK ((rate_per_minute > 0)),
  constraint accounts_skip_trace_per_minute_check CHECK ((skip_trace_per_minute > 0)),
  constraint accounts_tokens_included_check CHECK ((tokens_included >= 0))
);

create table api_keys (
  id uuid default gen_random_uuid() not null,
  account_id uuid not null,
  name text not null,
  key_hash bytea not null,
  prefix text not null,
  scopes text[] default '{api:direct}'::text[] not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  origins text[] default '{}'::text[] not null,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash)
);

create table assemblage_values (
  fips integer not null,
  assemblage_id bigint not null,
  acres double precision not null,
  price double precision not null,
  low_price double precision not null,
  high_price double precision not null,
  out_of_support boolean not null,
  constraint assemblage_values_pkey PRIMARY KEY (fips, assemblage_id)
);

create table assemblages (
  fips integer not null,
  property_id bigint not null,
  assemblage_id bigint,
  counties integer[],
  parcels integer,
  acres double precision,
  touching_parcels integer,
  touching_acres double precision,
  constraint assemblages_pkey PRIMARY KEY (fips, property_id)
);

create table assemblages_dirty (
  id bigint generated always as identity,
  fips integer not null,
  constraint assemblages_dirty_pkey PRIMARY KEY (id)
);

create table assessed_land_values (
  fips integer not null,
  property_id bigint not null,
  as_of date not null,
  value bigint not null,
  constraint assessed_land_values_pkey PRIMARY KEY (fips, property_id, as_of)
);

create table assets (
  path text not null,
  type text not null,
  body bytea not null,
  stored_at timestamp with time zone default now() not null,
  constraint assets_pkey PRIMARY KEY (path)
);

create table attributes_dirty (
  fips integer not null,
  property_id bigint not null,
  layers smallint not null,
  mark bigint default nextval('attributes_marks'::regclass) not null,
  chunk bigint,
  constraint attributes_dirty_pkey PRIMARY KEY (fips, property_id),
  constraint attributes_dirty_layers_check CHECK (((layers >= 1) AND (layers <= 63)))
);

create table audit (
  id bigint generated always as identity,
  at timestamp with time zone default clock_timestamp() not null,
  actor text not null,
  action text not null,
  entity text not null,
  entity_id text not null,
  account_id uuid,
  before jsonb,
  after jsonb,
  constraint audit_pkey PRIMARY KEY (id)
);

create table changes (
  seq bigint generated by default as identity,
  at timestamp with time zone not null,
  type text not null,
  run_id bigint,
  fips integer,
  property_id bigint,
  listing_id uuid,
  zip text,
  fields jsonb not null,
  constraint changes_pkey PRIMARY KEY (seq)
);

create table comp_land (
  listing_id uuid not null,
  fips integer not null,
  property_id bigint not null,
  steep_percent real,
  frontage_ft real,
  flood_percent real,
  wetlands_percent real,
  waterfront boolean,
  constraint comp_land_pkey PRIMARY KEY (listing_id)
);

create table comp_report_comps (
  report_id uuid not null,
  comp_id uuid not null,
  added_at timestamp with time zone default now() not null,
  constraint comp_report_comps_pkey PRIMARY KEY (report_id, comp_id)
);

create table comp_report_overrides (
  report_id uuid not null,
  comp_id uuid not null,
  adjustment text not null,
  percent double precision not null,
  reason text not null,
  changed_at timestamp with time zone default now() not null,
  constraint comp_report_overrides_pkey PRIMARY KEY (report_id, comp_id, adjustment),
  constraint comp_report_overrides_adjustment_check CHECK ((adjustment = ANY (ARRAY['size'::text, 'time'::text, 'location'::text, 'land'::text, 'asking'::text]))),
  constraint comp_report_overrides_percent_check CHECK (((percent >= ('-95'::integer)::double precision) AND (percent <= (1000)::double precision))),
  constraint comp_report_overrides_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)))
);

create table comp_reports (
  id uuid default gen_random_uuid() not null,
  account_id uuid not null,
  fips integer not null,
  property_id bigint not null,
  label text default ''::text not null,
  title text default ''::text not null,
  notes text default ''::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  wanted_at timestamp with time zone,
  looked_at timestamp with time zone,
  fault text,
  snapshot json,
  offered json,
  share_hash bytea,
  share_expires_at timestamp with time zone,
  user_id uuid,
  share_token text,
  constraint comp_reports_pkey PRIMARY KEY (id),
  constraint comp_reports_share_hash_key UNIQUE (share_hash),
  constraint comp_reports_check CHECK (((share_hash IS NULL) = (share_expires_at IS NULL))),
  constraint comp_reports_notes_check CHECK ((char_length(notes) <= 20000)),
  constraint comp_reports_title_check CHECK ((char_length(title) <= 200))
);

create table companies (
  id uuid default gen_random_uuid() not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  has_marked_owners boolean default false not null,
  mailed_at timestamp with time zone,
  constraint companies_pkey PRIMARY KEY (id),
  constraint companies_name_key UNIQUE (name)
);

create table company_brands (
  company_id uuid not null,
  logo bytea,
  address text default ''::text not null,
  constraint company_brands_pkey PRIMARY KEY (company_id),
  constraint company_brands_address_check CHECK ((char_length(address) <= 400)),
  constraint company_brands_logo_check CHECK ((octet_length(logo) <= 300000))
);

create table contact_secret (
  only_one boolean default true not null,
  secret bytea not null,
  constraint contact_secret_pkey PRIMARY KEY (only_one),
  constraint contact_secret_only_one_check CHECK (only_one)
);

create table contact_suppressions (
  hash bytea not null,
  request uuid not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  constraint contact_suppressions_pkey PRIMARY KEY (hash, request)
);

create table contacts (
  id uuid not null,
  feed_id integer not null,
  source text not null,
  source_id text not null,
  entity_name text,
  first_name text,
  middle_name text,
  last_name text,
  suffix text,
  places jsonb not null,
  phones jsonb not null,
  emails text[] default '{}'::text[] not null,
  last_seen date,
  keys bigint[] not null,
  row_hash uuid not null,
  changed_run bigint not null,
  constraint contacts_pkey PRIMARY KEY (id),
  constraint contacts_check CHECK (((entity_name IS NULL) <> ((first_name IS NULL) AND (last_name IS NULL))))
);

create table county_coverage (
  fips integer not null,
  parcels integer not null,
  with_boundary integer not null,
  with_owner integer not null,
  with_acres integer not null,
  with_values integer not null,
  with_sale integer not null,
  feed_ids integer[] not null,
  west double precision,
  south double precision,
  east double precision,
  north double precision,
  apn_shapes text[] default '{}'::text[] not null,
  constraint county_coverage_pkey PRIMARY KEY (fips)
);

create table county_facts (
  fips integer not null,
  feed_id integer not null,
  population integer,
  population_year smallint,
  earlier_population integer,
  earlier_year smallint,
  household_income integer,
  income_year smallint,
  housing_permits integer,
  permits_year smallint,
  row_hash uuid not null,
  constraint county_facts_pkey PRIMARY KEY (fips, feed_id)
);

create table county_records (
  fips integer not null,
  as_of date not null,
  record json not null,
  seen_run bigint not null,
  seen_sales integer not null,
  computed_at timestamp with time zone default now() not null,
  constraint county_records_pkey PRIMARY KEY (fips)
);

create table county_serials (
  fips integer not null,
  last_serial bigint not null,
  constraint county_serials_pkey PRIMARY KEY (fips)
);

create table cursor_secret (
  id boolean default true not null,
  secret bytea not null,
  constraint cursor_secret_pkey PRIMARY KEY (id),
  constraint cursor_secret_id_check CHECK (id)
);

create table deal_boards (
  id uuid default gen_random_uuid() not null,
  user_id uuid,
  account_id uuid,
  version bigint default 0 not null,
  constraint deal_boards_pkey PRIMARY KEY (id),
  constraint deal_boards_account_id_key UNIQUE (account_id),
  constraint deal_boards_user_id_key UNIQUE (user_id),
  constraint deal_boards_check CHECK ((num_nonnulls(user_id, account_id) = 1))
);

create table deal_events (
  id bigint generated always as identity,
  deal_id uuid not null,
  at timestamp with time zone default clock_timestamp() not null,
  author text not null,
  cause text not null,
  changes jsonb not null,
  price numeric(12,2),
  price_advantage integer,
  traction_score integer,
  constraint deal_events_pkey PRIMARY KEY (id)
);

create table deals (
  id uuid default gen_random_uuid() not null,
  board_id uuid not null,
  status text not null,
  "position" integer not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  property_id bigint,
  listing_id uuid,
  listing_url text,
  deal_type text default 'cash_close'::text not null,
  purchase_price numeric(12,2),
  agent_fee numeric(12,2),
  misc_costs numeric(12,2),
  closing_costs numeric(12,2),
  expected_sell_price numeric(12,2),
  contract_expiration_date date,
  closing_date date,
  own_price numeric(12,2),
  own_price_over numeric(12,2),
  fetch_status text default 'waiting'::text not null,
  fetched_at timestamp with time zone,
  seen_at timestamp with time zone,
  fips integer,
  address text,
  county text,
  state text,
  acreage double precision,
  listed_price numeric(12,2),
  days_on_market integer,
  views integer,
  saves integer,
  price numeric(12,2) generated always as (COALESCE(own_price, listed_price)) stored,
  expected_profit numeric(13,2) generated always as (((((COALESCE(expected_sell_price, own_price, listed_price, (0)::numeric) - COALESCE(purchase_price, (0)::numeric)) - COALESCE(agent_fee, (0)::numeric)) - COALESCE(misc_costs, (0)::numeric)) - COALESCE(closing_costs, (0)::numeric))) stored,
  traction_score integer,
  price_advantage integer,
  listing_grade text default ''::text not null,
  suggested_action text default ''::text not null,
  suggested_action_price numeric(12,2),
  figures jsonb,
  own_price_since date,
  advice jsonb,
  advice_held_until date,
  advice_dismissed_on date,
  constraint deals_pkey PRIMARY KEY (id),
  constraint deals_agent_fee_check CHECK ((agent_fee >= (0)::numeric)),
  constraint deals_check CHECK (((status = 'listed'::text) OR (suggested_action = ''::text))),
  constraint deals_check1 CHECK (((suggested_action = 'drop'::text) = (suggested_action_price IS NOT NULL))),
  constraint deals_check2 CHECK (((((COALESCE(purchase_price, (0)::numeric) + COALESCE(agent_fee, (0)::numeric)) + COALESCE(misc_costs, (0)::numeric)) + COALESCE(closing_costs, (0)::numeric)) <= 9999999999.99)),
  constraint deals_closing_costs_check CHECK ((closing_costs >= (0)::numeric)),
  constraint deals_deal_type_check CHECK ((deal_type = ANY (ARRAY['cash_close'::text, 'double_close'::text]))),
  constraint deals_expected_sell_price_check CHECK ((expected_sell_price >= (0)::numeric)),
  constraint deals_fetch_status_check CHECK ((fetch_status = ANY (ARRAY['waiting'::text, 'found'::text, 'ended'::text, 'not_found'::text, 'no_provider'::text, 'provider_failed'::text]))),
  constraint deals_misc_costs_check CHECK ((misc_costs >= (0)::numeric)),
  constraint deals_own_price_check CHECK ((own_price >= (0)::numeric)),
  constraint deals_purchase_price_check CHECK ((purchase_price >= (0)::numeric)),
  constraint deals_status_check CHECK ((status = ANY (ARRAY['under_contract'::text, 'listed'::text, 'offer_received'::text, 'offer_accepted'::text, 'in_title'::text, 'sold'::text, 'on_hold'::text, 'canceled'::text, ''::text]))),
  constraint deals_suggested_action_check CHECK ((suggested_action = ANY (ARRAY[''::text, 'drop'::text, 'relist'::text, 'hold'::text])))
);

create table dnc_areas (
  area_code smallint not null,
  edition date not null,
  numbers integer not null,
  feed_id integer not null,
  changed_run bigint not null,
  constraint dnc_areas_pkey PRIMARY KEY (area_code)
);

create table dnc_numbers (
  prefix integer not null,
  bits bytea not null,
  constraint dnc_numbers_pkey PRIMARY KEY (prefix),
  constraint dnc_numbers_bits_check CHECK ((length(bits) = 1250))
);
alter table dnc_numbers alter column bits set storage plain;

create table do_not_call (
  company_id uuid not null,
  owner_key uuid not null,
  marked_at timestamp with time zone default now() not null,
  constraint do_not_call_pkey PRIMARY KEY (company_id, owner_key)
);

create table do_not_mail (
  company_id uuid not null,
  owner_key uuid not null,
  marked_at timestamp with time zone default now() not null,
  constraint do_not_mail_pkey PRIMARY KEY (company_id, owner_key)
);

create table elevation_tiles (
  feed_id integer not null,
  source text not null,
  fingerprint text not null,
  extent box not null,
  width integer not null,
  height integer not null,
  origin_x double precision not null,
  origin_y double precision not null,
  step_x double precision not null,
  step_y double precision not null,
  crs text not null,
  unit_m double precision not null,
  nodata double precision,
  constraint elevation_tiles_pkey PRIMARY KEY (feed_id, source)
);

create table event_totals (
  name text not null,
  total bigint default 0 not null,
  constraint event_totals_pkey PRIMARY KEY (name)
);

create table export_parts (
  export_id uuid not null,
  n integer not null,
  bytes bytea not null,
  sha256 bytea not null,
  constraint export_parts_pkey PRIMARY KEY (export_id, n)
);
alter table export_parts alter column bytes set storage external;

create table exports (
  id uuid default gen_random_uuid() not null,
  company_id uuid not null,
  account_id uuid not null,
  mode text not null,
  request jsonb not null,
  state text not null,
  tokens_held bigint not null,
  rows integer,
  free_rows integer,
  tokens bigint,
  error jsonb,
  job_id uuid,
  attempt integer default 0 not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  expires_at timestamp with time zone,
  order_key text,
  credits text,
  constraint exports_pkey PRIMARY KEY (id),
  constraint exports_mode_check CHECK ((mode = ANY (ARRAY['direct'::text, 'mcp'::text]))),
  constraint exports_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'ready'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
);

create table feeds (
  id integer generated always as identity,
  name text not null,
  kind text not null,
  definition jsonb not null,
  as_of date,
  checkpoint jsonb,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint feeds_pkey PRIMARY KEY (id),
  constraint feeds_name_key UNIQUE (name),
  constraint feeds_kind_check CHECK ((kind = ANY (ARRAY['assessor'::text, 'listings'::text, 'elevation'::text, 'roads'::text, 'wetlands'::text, 'flood'::text, 'water'::text, 'places'::text, 'zips'::text, 'contacts'::text, 'numbering'::text, 'county_facts'::text, 'dnc'::text, 'imagery'::text, 'overlay'::text])))
);

create table flagged_sales (
  fips integer not null,
  flag text not null,
  listing_id uuid,
  property_id bigint,
  source text not null,
  source_id text not null,
  apn text not null,
  sold_date date,
  price numeric(14,2) not null,
  acres double precision,
  code text,
  constraint flagged_sales_pkey PRIMARY KEY (fips, source, source_id)
);

create table given_others (
  company_id uuid not null,
  id uuid not null,
  version text not null,
  given_at timestamp with time zone default now() not null,
  constraint given_others_pkey PRIMARY KEY (company_id, id)
);

create table given_rows (
  fips integer not null,
  company_id uuid not null,
  property_id bigint not null,
  version bigint not null,
  given_at timestamp with time zone default now() not null,
  constraint given_rows_pkey PRIMARY KEY (fips, company_id, property_id)
);

create table idempotent_calls (
  account_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  claim uuid not null,
  claimed_until timestamp with time zone not null,
  created_at timestamp with time zone not null,
  status integer,
  body bytea,
  kept_hours integer default 24 not null,
  made jsonb,
  people bytea[],
  constraint idempotent_calls_pkey PRIMARY KEY (account_id, key)
);

create table image_secrets (
  id bigint generated always as identity,
  secret bytea default (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) not null,
  created_at timestamp with time zone default now() not null,
  constraint image_secrets_pkey PRIMARY KEY (id)
);

create table imagery_sources (
  feed_id integer not null,
  source text not null,
  type text not null,
  fingerprint text not null,
  extent box not null,
  pixel_m double precision not null,
  captured date,
  details jsonb not null,
  constraint imagery_sources_pkey PRIMARY KEY (feed_id, source),
  constraint imagery_sources_type_check CHECK ((type = ANY (ARRAY['cog'::text, 'xyz'::text, 'arcgis_image'::text, 'relief'::text])))
);

create table invitations (
  id uuid default gen_random_uuid() not null,
  company_id uuid not null,
  email text not null,
  name text default ''::text not null,
  operator boolean default false not null,
  invited_by text not null,
  token_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_token_hash_key UNIQUE (token_hash)
);

create table job_totals (
  name text not null,
  outcome text not null,
  jobs bigint default 0 not null,
  seconds double precision default 0 not null,
  rows bigint default 0 not null,
  le bigint[] default '{0,0,0,0,0,0}'::bigint[] not null,
  constraint job_totals_pkey PRIMARY KEY (name, outcome),
  constraint job_totals_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'failed'::text, 'retried'::text])))
);

create table jobs (
  id uuid default gen_random_uuid() not null,
  name text not null,
  key text not null,
  payload jsonb not null,
  status text default 'queued'::text not null,
  progress real default 0 not null,
  note text,
  result jsonb,
  error_code text,
  error text,
  attempts integer default 0 not null,
  queued_at timestamp with time zone default clock_timestamp() not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  worker text,
  deaths integer default 0 not null,
  next_at timestamp with time zone,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

create table land_layers (
  feed_id integer not null,
  kind text not null,
  run_id bigint not null,
  coverage box not null,
  fips integer,
  reach_m jsonb,
  merged_at timestamp with time zone default now() not null,
  overlays jsonb,
  constraint land_layers_pkey PRIMARY KEY (feed_id),
  constraint land_layers_kind_check CHECK ((kind = ANY (ARRAY['elevation'::text, 'roads'::text, 'wetlands'::text, 'flood'::text, 'water'::text, 'places'::text, 'zips'::text, 'imagery'::text, 'overlay'::text])))
);

create table layer_features (
  id bigint generated always as identity,
  feed_id integer not null,
  hash uuid not null,
  class text not null,
  extent box not null,
  geometry bytea not null,
  name text,
  words text collate "C",
  overlays jsonb,
  constraint layer_features_pkey PRIMARY KEY (id),
  constraint layer_features_feed_id_hash_key UNIQUE (feed_id, hash)
);
alter table layer_features alter column geometry set storage external;

create table list_calls (
  list_id uuid not null,
  property_id bigint not null,
  called_at timestamp with time zone default now() not null,
  outcome text not null,
  number_hash bytea not null,
  user_id uuid,
  constraint list_calls_pkey PRIMARY KEY (list_id, property_id, called_at),
  constraint list_calls_outcome_check CHECK ((outcome = ANY (ARRAY['no_answer'::text, 'left_message'::text, 'wrong_number'::text, 'answered'::text, 'not_interested'::text, 'do_not_call'::text])))
);

create table list_rows (
  list_id uuid not null,
  property_id bigint not null,
  status text default 'new'::text not null,
  status_at timestamp with time zone,
  note text default ''::text not null,
  tags text[] default '{}'::text[] not null,
  mailed_at timestamp with time zone,
  mailed_to uuid,
  added_at timestamp with time zone default now() not null,
  read_at timestamp with time zone,
  offer bigint,
  price_asked bigint,
  deal_id uuid,
  constraint list_rows_pkey PRIMARY KEY (list_id, property_id),
  constraint list_rows_price_asked_check CHECK ((price_asked > 0)),
  constraint list_rows_status_check CHECK ((status = ANY (ARRAY['new'::text, 'mailed'::text, 'answered'::text, 'returned'::text, 'under_contract'::text, 'not_interested'::text])))
);

create table listing_events (
  listing_id uuid not null,
  run_id bigint not null,
  status text not null,
  price numeric(14,2) not null,
  status_date date,
  recorded_at timestamp with time zone default now() not null,
  constraint listing_events_pkey PRIMARY KEY (listing_id, run_id)
);

create table listings (
  id uuid not null,
  feed_id integer not null,
  source text not null,
  source_id text not null,
  status text not null,
  address text default ''::text not null,
  city text default ''::text not null,
  state text default ''::text not null,
  zip text default ''::text not null,
  county text default ''::text not null,
  apn text default ''::text not null,
  location point,
  fips integer,
  lot_acres double precision,
  price numeric(14,2) not null,
  listed_date date,
  status_date date,
  sold_date date,
  days_on_market integer,
  sale_type text default ''::text not null,
  url text default ''::text not null,
  photos text[] default '{}'::text[] not null,
  row_hash uuid not null,
  created_run bigint not null,
  changed_run bigint not null,
  asked_price numeric(14,2),
  views integer,
  saves integer,
  deed text,
  constraint listings_pkey PRIMARY KEY (id),
  constraint listings_source_source_id_key UNIQUE (source, source_id),
  constraint listings_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'PENDING'::text, 'SOLD'::text, 'OFF_MARKET'::text])))
);

create table lists (
  id uuid default gen_random_uuid() not null,
  company_id uuid not null,
  name text not null,
  one_per_owner boolean not null,
  offer_percent double precision,
  offer_of text,
  offer_round_to integer,
  leave_out_lists uuid[] not null,
  mailed_within_days integer,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  unread_rows text default 'named'::text not null,
  rows_at_most integer,
  offer_percent_high double precision,
  letter_cents integer,
  letter text,
  one_per_assemblage boolean default false not null,
  constraint lists_pkey PRIMARY KEY (id),
  constraint lists_hidden CHECK (((unread_rows <> 'hidden'::text) OR (rows_at_most IS NOT NULL))),
  constraint lists_letter_cents_check CHECK ((letter_cents > 0)),
  constraint lists_letter_check CHECK ((char_length(letter) <= 6000)),
  constraint lists_mailed_within_days_check CHECK ((mailed_within_days > 0)),
  constraint lists_offer CHECK ((num_nulls(offer_percent, offer_of, offer_round_to) = ANY (ARRAY[0, 3]))),
  constraint lists_offer_of_check CHECK ((offer_of = ANY (ARRAY['value'::text, 'value_low'::text, 'market_value'::text, 'assessed_value'::text]))),
  constraint lists_offer_percent_check CHECK ((offer_percent > (0)::double precision)),
  constraint lists_offer_round_to_check CHECK ((offer_round_to > 0)),
  constraint lists_unread_rows_check CHECK ((unread_rows = ANY (ARRAY['named'::text, 'counted'::text, 'hidden'::text])))
);

create table market_history (
  type text not null,
  code text not null,
  as_of date not null,
  told text,
  figures bytea not null,
  constraint market_history_pkey PRIMARY KEY (type, code, as_of)
);

create table market_views (
  market_id uuid not null,
  user_id uuid not null,
  seen_at timestamp with time zone not null,
  figures bytea,
  before_at timestamp with time zone,
  before_figures bytea,
  constraint market_views_pkey PRIMARY KEY (market_id, user_id)
);

create table number_blocks (
  prefix integer not null,
  block smallint not null,
  feed_id integer not null,
  operator text,
  line_type text,
  row_hash uuid not null,
  constraint number_blocks_pkey PRIMARY KEY (prefix, block, feed_id),
  constraint number_blocks_block_check CHECK (((block >= '-1'::integer) AND (block <= 9))),
  constraint number_blocks_line_type_check CHECK ((line_type = ANY (ARRAY['Mobile'::text, 'Landline'::text]))),
  constraint number_blocks_prefix_check CHECK (((prefix >= 200000) AND (prefix <= 999999)))
);

create table oauth_records (
  model text not null,
  id_hash bytea not null,
  payload jsonb not null,
  grant_hash bytea,
  account_id uuid,
  created_at timestamp with time zone default now() not null,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint oauth_records_pkey PRIMARY KEY (model, id_hash)
);

create table owner_parcels (
  owner_key uuid not null,
  property_id bigint not null,
  place_key uuid,
  constraint owner_parcels_pkey PRIMARY KEY (owner_key, property_id) INCLUDE (place_key)
);

create table owner_words (
  fips integer not null,
  word text collate "C" not null,
  serials bytea not null,
  constraint owner_words_pkey PRIMARY KEY (word, fips)
) partition by RANGE (fips);
alter table owner_words alter column serials set storage external;

create table parcel_attributes (
  fips integer not null,
  property_id bigint not null,
  shape_hash uuid not null,
  elevation_runs bigint[],
  roads_runs bigint[],
  wetlands_runs bigint[],
  flood_runs bigint[],
  min_elevation_m real,
  mean_elevation_m real,
  max_elevation_m real,
  mean_slope_percent real,
  steeper_percent real[],
  highway_frontage_ft real,
  road_frontage_ft real,
  local_frontage_ft real,
  landlocked boolean,
  wetlands_percent real,
  flood_zone_percent real,
  computed_at timestamp with time zone default now() not null,
  access text,
  water_runs bigint[],
  waterfront_ft real,
  water_name text,
  overlay_runs bigint[],
  buildable_acres double precision,
  buildable_percent double precision,
  buildable_patch_acres double precision,
  unbuildable jsonb,
  constraint parcel_attributes_pkey PRIMARY KEY (fips, property_id)
) partition by RANGE (fips);

create table parcel_filters (
  fips integer not null,
  property_id bigint not null,
  location point,
  extent box,
  effective_acres double precision,
  situs_zip integer,
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
  structure_count integer,
  year_built smallint,
  tax_delinquent_year smallint,
  tax_delinquent boolean,
  owner_occupied boolean,
  out_of_state_owner boolean,
  out_of_county_owner boolean,
  out_of_zip_owner boolean,
  corporate_owner boolean,
  hoa_owner boolean,
  inter_family_transfer boolean,
  vacant boolean,
  landlocked boolean,
  wetlands_percent real,
  flood_zone_percent real,
  highway_frontage_ft real,
  road_frontage_ft real,
  local_frontage_ft real,
  steeper_percent real[],
  row_version bigint default 0 not null,
  access text,
  waterfront boolean,
  waterfront_ft real,
  buildable_acres double precision,
  buildable_percent double precision,
  buildable_patch_acres double precision,
  constraint parcel_filters_pkey PRIMARY KEY (fips, property_id)
) partition by RANGE (fips);

create table parcel_overlays (
  fips integer not null,
  "overlay" text not null,
  property_id bigint not null,
  percent real not null,
  classes text[] not null,
  percents real[] not null,
  nearest_ft real,
  nearest_name text,
  numbers jsonb not null,
  constraint parcel_overlays_pkey PRIMARY KEY (fips, "overlay", property_id)
) partition by RANGE (fips);

create table parcels (
  fips integer not null,
  property_id bigint not null,
  feed_id integer not null,
  source_key text not null,
  apn text,
  apn_normalized text,
  location point,
  extent box,
  boundary bytea,
  acres double precision,
  calculated_acres double precision,
  effective_acres double precision generated always as (COALESCE(acres, calculated_acres)) stored,
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
  structure_count integer,
  building_sqft double precision,
  year_built integer,
  assessed_total_value bigint,
  assessed_land_value bigint,
  assessed_improvement_value bigint,
  market_total_value bigint,
  market_land_value bigint,
  market_improvement_value bigint,
  tax_delinquent boolean,
  tax_delinquent_year integer,
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
  roll_hash uuid,
  shape_hash uuid,
  created_run bigint not null,
  changed_run bigint not null,
  retired_run bigint,
  retired_at timestamp with time zone,
  row_version bigint default 0 not null,
  legal_description text,
  constraint parcels_pkey PRIMARY KEY (fips, property_id)
) partition by RANGE (fips);
alter table parcels alter column boundary set storage external;

create table passwords (
  user_id uuid not null,
  hash text not null,
  changed_at timestamp with time zone default now() not null,
  constraint passwords_pkey PRIMARY KEY (user_id)
);

create table provider_answers (
  question bytea not null,
  provider text not null,
  asked_at timestamp with time zone default now() not null,
  answer jsonb,
  tags bytea[] not null,
  constraint provider_answers_pkey PRIMARY KEY (question)
);

create table provider_usage (
  provider text not null,
  day date not null,
  calls integer default 0 not null,
  matches integer default 0 not null,
  failures integer default 0 not null,
  cents numeric(12,2),
  constraint provider_usage_pkey PRIMARY KEY (provider, day)
);

create unlogged table quote_counts (
  account_id uuid not null,
  day date not null,
  quotes integer not null,
  constraint quote_counts_pkey PRIMARY KEY (account_id)
);

create unlogged table rate_buckets (
  account_id uuid not null,
  per_minute integer not null,
  burst integer not null,
  skip_trace_per_minute integer not null,
  level bigint not null,
  plain_admitted integer not null,
  skip_traces_admitted integer not null,
  updated_at timestamp with time zone not null,
  skip_traces timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  constraint rate_buckets_pkey PRIMARY KEY (account_id)
) with (fillfactor=50);

create table region_stats (
  type text not null,
  code text not null,
  body bytea not null,
  etag text not null,
  as_of date,
  listings integer default 0 not null,
  computed_at timestamp with time zone,
  figures bytea,
  constraint region_stats_pkey PRIMARY KEY (type, code)
);
alter table region_stats alter column body set storage external;

create table regions (
  id uuid not null,
  type text not null,
  code text not null,
  name text not null,
  state text not null,
  county_name text not null,
  fips integer not null,
  search_words text generated always as ((' '::text || regexp_replace(regexp_replace(lower(regexp_replace(NORMALIZE(((((((code || ' '::text) || ltrim(code, '0'::text)) || ' '::text) || state) || ' '::text) || county_name), NFD), '[\u0300-\u036f]'::text, ''::text, 'g'::text)), '[''’]'::text, ''::text, 'g'::text), '[\s.,/()-]+'::text, ' '::text, 'g'::text))) stored not null,
  constraint regions_pkey PRIMARY KEY (id),
  constraint regions_type_code_key UNIQUE (type, code),
  constraint regions_code_check CHECK ((code ~ '^[0-9]{5}$'::text)),
  constraint regions_fips_check CHECK (((fips >= 1001) AND (fips <= 78999))),
  constraint regions_state_check CHECK ((state ~ '^[A-Z]{2}$'::text)),
  constraint regions_type_check CHECK ((type = ANY (ARRAY['county'::text, 'zip'::text])))
);

create table restated_regions (
  type text not null,
  code text not null,
  through date not null,
  digest text not null,
  constraint restated_regions_pkey PRIMARY KEY (type, code)
);

create table row_versions (
  n bigint generated always as identity,
  version bigint not null,
  at timestamp with time zone not null,
  constraint row_versions_pkey PRIMARY KEY (n),
  constraint row_versions_version_key UNIQUE (version)
);

create table run_rejects (
  run_id bigint not null,
  input text not null,
  row_no bigint not null,
  field text,
  reason text not null,
  message text not null,
  raw text not null
);

create table runs (
  id bigint generated always as identity,
  feed_id integer not null,
  status text default 'running'::text not null,
  inputs jsonb default '[]'::jsonb not null,
  counts jsonb default '{}'::jsonb not null,
  gate jsonb,
  forced boolean default false not null,
  requested_by text not null,
  job_id uuid,
  attempts integer default 1 not null,
  error_code text,
  error text,
  started_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  undoes bigint,
  undo_as_of date,
  constraint runs_pkey PRIMARY KEY (id),
  constraint runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'merged'::text, 'unchanged'::text, 'blocked'::text, 'failed'::text, 'undone'::text])))
);

create table sale_overrides (
  id uuid not null,
  fips integer not null,
  used boolean not null,
  decided_by text not null,
  decided_at timestamp with time zone default now() not null,
  constraint sale_overrides_pkey PRIMARY KEY (id)
);

create table saved_markets (
  id uuid default gen_random_uuid() not null,
  company_id uuid not null,
  region_id uuid not null,
  status text default ''::text not null,
  "position" integer not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint saved_markets_pkey PRIMARY KEY (id),
  constraint saved_markets_company_id_region_id_key UNIQUE (company_id, region_id)
);

create table search_changes (
  n bigint generated always as identity,
  search_id uuid not null,
  at timestamp with time zone not null,
  property_id bigint not null,
  became text not null,
  seq bigint,
  constraint search_changes_pkey PRIMARY KEY (search_id, n),
  constraint search_changes_became_check CHECK ((became = ANY (ARRAY['added'::text, 'removed'::text, 'changed'::text])))
);

create table search_members (
  search_id uuid not null,
  property_id bigint not null,
  constraint search_members_pkey PRIMARY KEY (search_id, property_id)
);

create table search_readers (
  search_id uuid not null,
  user_id uuid not null,
  token uuid default gen_random_uuid() not null,
  mailed_n bigint not null,
  mailed_at timestamp with time zone not null,
  constraint search_readers_pkey PRIMARY KEY (search_id, user_id),
  constraint search_readers_token_key UNIQUE (token)
);

create table search_views (
  search_id uuid not null,
  user_id uuid not null,
  n bigint not null,
  constraint search_views_pkey PRIMARY KEY (search_id, user_id)
);

create table searches (
  id uuid default gen_random_uuid() not null,
  company_id uuid not null,
  account_id uuid not null,
  name text not null,
  filter jsonb not null,
  counties integer[] not null,
  notify text not null,
  webhook_id uuid,
  seq bigint not null,
  created_at timestamp with time zone default now() not null,
  constraint searches_pkey PRIMARY KEY (id),
  constraint searches_notify_check CHECK ((notify = ANY (ARRAY['none'::text, 'daily'::text, 'at_once'::text])))
);

create table sessions (
  id uuid default gen_random_uuid() not null,
  token_hash bytea not null,
  user_id uuid not null,
  user_agent text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone default now() not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash)
);

create table sign_in_links (
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'reset'::text, 'invite'::text])))
);

create table situs_words (
  fips integer not null,
  word text collate "C" not null,
  serials bytea not null,
  constraint situs_words_pkey PRIMARY KEY (word, fips)
) partition by RANGE (fips);
alter table situs_words alter column serials set storage external;

create table stats_dirty (
  type text not null,
  code text not null,
  marked_at timestamp with time zone default clock_timestamp() not null,
  constraint stats_dirty_pkey PRIMARY KEY (type, code)
);

create table tiers (
  name text not null,
  tokens_included bigint not null,
  overage_cents_per_1000 integer not null,
  direct boolean not null,
  price_cents integer,
  constraint tiers_pkey PRIMARY KEY (name),
  constraint tiers_overage_cents_per_1000_check CHECK ((overage_cents_per_1000 >= 0)),
  constraint tiers_price_cents_check CHECK ((price_cents >= 0)),
  constraint tiers_tokens_included_check CHECK ((tokens_included >= 0))
);

create table traces (
  id bigint generated always as identity,
  account_id uuid not null,
  key_id uuid,
  asked_at timestamp with time zone default now() not null,
  endpoint text not null,
  question bytea not null,
  source text not null,
  matched boolean not null,
  constraint traces_pkey PRIMARY KEY (id)
);

create table undo_listings (
  run_id bigint not null,
  listing_id uuid not null,
  was jsonb not null,
  constraint undo_listings_pkey PRIMARY KEY (run_id, listing_id)
);

create table undo_parcels (
  run_id bigint not null,
  fips integer not null,
  property_id bigint not null,
  feed_id integer not null,
  was jsonb not null,
  boundary bytea,
  constraint undo_parcels_pkey PRIMARY KEY (run_id, property_id)
);
alter table undo_parcels alter column boundary set storage external;

create table usage_daily (
  account_id uuid not null,
  period_start timestamp with time zone not null,
  day date not null,
  endpoint text collate "C" not null,
  mode text collate "C" not null,
  tokens bigint default 0 not null,
  calls bigint default 0 not null,
  constraint usage_daily_pkey PRIMARY KEY (account_id, period_start, day, endpoint, mode),
  constraint usage_daily_mode_check CHECK ((mode = ANY (ARRAY['direct'::text, 'mcp'::text])))
);

create table usage_periods (
  account_id uuid not null,
  period_start timestamp with time zone not null,
  tokens_used bigint default 0 not null,
  period_end timestamp with time zone,
  tier text,
  tokens_included bigint,
  overage_cents_per_1000 integer,
  terms integer default 0 not null,
  tokens_held bigint default 0 not null,
  tiles_paid smallint default 0 not null,
  constraint usage_periods_pkey PRIMARY KEY (account_id, period_start)
);

create table users (
  id uuid default gen_random_uuid() not null,
  company_id uuid not null,
  email text not null,
  name text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  operator boolean default false not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_id_company_id_key UNIQUE (id, company_id)
);

create table valuation_counties (
  fips integer not null,
  extent box,
  reach box,
  estimates jsonb,
  model_version text,
  as_of date,
  price_index jsonb,
  used_sales integer,
  ppa_breaks double precision[],
  ppa_counts integer[],
  constraint valuation_counties_pkey PRIMARY KEY (fips)
);

create table valuations (
  fips integer not null,
  property_id bigint not null,
  mean_price double precision not null,
  mean_ppa double precision not null,
  mean_adjusted_price double precision not null,
  mean_adjusted_ppa double precision not null,
  gini_index real not null,
  confidence_score real not null,
  low_price double precision not null,
  high_price double precision not null,
  out_of_support boolean not null,
  comps bytea not null,
  as_of date not null,
  model_version text not null,
  computed_at timestamp with time zone default now() not null,
  neighborhood_ppa double precision,
  neighborhood_weight real,
  constraint valuations_pkey PRIMARY KEY (fips, property_id)
) partition by RANGE (fips);

create table valuations_dirty (
  id bigint generated always as identity,
  fips integer not null,
  constraint valuations_dirty_pkey PRIMARY KEY (id)
);

create table webhook_deliveries (
  webhook_id uuid not null,
  message_id uuid not null,
  state text default 'pending'::text not null,
  created_at timestamp with time zone not null,
  attempts integer default 0 not null,
  turn integer default 0 not null,
  next_at timestamp with time zone not null,
  last_at timestamp with time zone,
  status integer,
  error text,
  leased_until timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (message_id, webhook_id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
) with (fillfactor=50);

create table webhook_messages (
  id uuid default gen_random_uuid() not null,
  seq bigint not null,
  type text not null,
  fips integer,
  at timestamp with time zone not null,
  data jsonb not null,
  webhook_id uuid,
  constraint webhook_messages_pkey PRIMARY KEY (id)
);

create table webhook_position (
  id boolean default true not null,
  seq bigint not null,
  constraint webhook_position_pkey PRIMARY KEY (id),
  constraint webhook_position_id_check CHECK (id)
);

create table webhook_secrets (
  webhook_id uuid not null,
  secret text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone
);

create table webhooks (
  id uuid default gen_random_uuid() not null,
  account_id uuid not null,
  url text not null,
  types text[] not null,
  fips integer,
  enabled boolean default true not null,
  disabled_because text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  search_id uuid,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_disabled_because_check CHECK ((disabled_because = ANY (ARRAY['gone'::text, 'failing'::text])))
);

create table withheld_contacts (
  feed_id integer not null,
  hash bytea not null,
  reason text not null,
  constraint withheld_contacts_pkey PRIMARY KEY (hash, feed_id)
);

create table workers (
  id text not null,
  name text not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  alive_until timestamp with time zone not null,
  constraint workers_pkey PRIMARY KEY (id)
);

CREATE INDEX accounts_company ON public.accounts USING btree (company_id);
CREATE INDEX accounts_period_end ON public.accounts USING btree (period_end);
CREATE INDEX accounts_user_id ON public.accounts USING btree (user_id);
CREATE INDEX api_keys_account ON public.api_keys USING btree (account_id);
CREATE INDEX assemblages_id ON public.assemblages USING btree (fips, assemblage_id);
CREATE INDEX attributes_dirty_chunk ON public.attributes_dirty USING btree (chunk);
CREATE INDEX audit_account ON public.audit USING btree (account_id, id);
CREATE INDEX audit_entity ON public.audit USING btree (entity, entity_id);
CREATE INDEX changes_county ON public.changes USING btree (fips, seq);
CREATE INDEX changes_listing ON public.changes USING btree (listing_id, seq) WHERE (listing_id IS NOT NULL);
CREATE INDEX changes_parcel ON public.changes USING btree (property_id, seq) WHERE (property_id IS NOT NULL);
CREATE INDEX comp_land_parcel ON public.comp_land USING btree (fips, property_id);
CREATE INDEX comp_reports_account ON public.comp_reports USING btree (account_id, updated_at DESC);
CREATE INDEX comp_reports_wanted ON public.comp_reports USING btree (fips) WHERE (wanted_at IS NOT NULL);
CREATE INDEX contacts_feed ON public.contacts USING btree (feed_id);
CREATE INDEX contacts_keys ON public.contacts USING gin (keys);
CREATE INDEX deal_events_deal ON public.deal_events USING btree (deal_id, id);
CREATE INDEX deals_board ON public.deals USING btree (board_id, status, "position");
CREATE INDEX deals_county ON public.deals USING btree (fips) WHERE ((status = 'listed'::text) OR (seen_at IS NULL));
CREATE INDEX elevation_tiles_extent ON public.elevation_tiles USING gist (extent);
CREATE INDEX exports_company ON public.exports USING btree (company_id, created_at DESC);
CREATE INDEX exports_kept ON public.exports USING btree (expires_at) WHERE (state = 'ready'::text);
CREATE INDEX exports_open ON public.exports USING btree (company_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX given_others_age ON public.given_others USING btree (given_at);
CREATE INDEX given_rows_age ON public.given_rows USING btree (given_at);
CREATE INDEX idempotent_calls_age ON public.idempotent_calls USING btree (created_at);
CREATE INDEX imagery_sources_extent ON public.imagery_sources USING gist (extent);
CREATE UNIQUE INDEX invitations_address ON public.invitations USING btree (company_id, lower(email));
CREATE INDEX jobs_open ON public.jobs USING btree (queued_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX jobs_recent ON public.jobs USING btree (queued_at DESC);
CREATE UNIQUE INDEX jobs_waiting ON public.jobs USING btree (name, key) WHERE (status = 'queued'::text);
CREATE INDEX layer_features_extent ON public.layer_features USING gist (extent);
CREATE INDEX layer_features_words ON public.layer_features USING btree (words) WHERE (words IS NOT NULL);
CREATE INDEX list_rows_deal ON public.list_rows USING btree (deal_id) WHERE (deal_id IS NOT NULL);
CREATE INDEX list_rows_mailed ON public.list_rows USING btree (list_id, mailed_at) WHERE (mailed_at IS NOT NULL);
CREATE INDEX listings_address ON public.listings USING btree (upper(address) text_pattern_ops) WHERE ((status = ANY (ARRAY['ACTIVE'::text, 'PENDING'::text])) AND (address <> ''::text));
CREATE INDEX listings_county ON public.listings USING btree (fips, status);
CREATE INDEX listings_feed ON public.listings USING btree (feed_id) WHERE (status = ANY (ARRAY['ACTIVE'::text, 'PENDING'::text]));
CREATE INDEX listings_location ON public.listings USING gist (location) WHERE (status <> 'OFF_MARKET'::text);
CREATE INDEX listings_set_aside ON public.listings USING btree (fips) WHERE ((status = 'OFF_MARKET'::text) AND (sold_date IS NOT NULL));
CREATE INDEX listings_url ON public.listings USING hash (url) WHERE (url <> ''::text);
CREATE INDEX listings_zip ON public.listings USING btree (zip, status);
CREATE INDEX lists_company ON public.lists USING btree (company_id);
CREATE INDEX market_history_told ON public.market_history USING btree (as_of) WHERE (told IS NOT NULL);
CREATE INDEX market_views_user ON public.market_views USING btree (user_id);
CREATE INDEX oauth_records_account ON public.oauth_records USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX oauth_records_clients ON public.oauth_records USING btree (created_at) WHERE (model = 'Client'::text);
CREATE INDEX oauth_records_expiry ON public.oauth_records USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX oauth_records_grant ON public.oauth_records USING btree (grant_hash) WHERE (grant_hash IS NOT NULL);
CREATE INDEX oauth_records_grants ON public.oauth_records USING btree (((payload ->> 'clientId'::text))) WHERE (model = 'Grant'::text);
CREATE INDEX owner_parcels_place ON public.owner_parcels USING btree (place_key, owner_key) WHERE (owner_key <> place_key);
CREATE INDEX owner_words_fips ON ONLY public.owner_words USING btree (fips);
CREATE INDEX owner_words_pieces ON ONLY public.owner_words USING gin (fips, word gin_trgm_ops) WITH (fastupdate=off);
CREATE INDEX parcel_filters_acres ON ONLY public.parcel_filters USING btree (fips, effective_acres, property_id);
CREATE INDEX parcel_filters_extent ON ONLY public.parcel_filters USING gist (extent);
CREATE INDEX parcel_filters_version ON ONLY public.parcel_filters USING btree (fips, row_version);
CREATE INDEX parcel_filters_zip ON ONLY public.parcel_filters USING btree (situs_zip);
CREATE INDEX parcel_overlays_parcel ON ONLY public.parcel_overlays USING btree (fips, property_id);
CREATE INDEX parcels_apn ON ONLY public.parcels USING btree (fips, apn_normalized) WHERE (retired_at IS NULL);
CREATE UNIQUE INDEX parcels_source ON ONLY public.parcels USING btree (fips, feed_id, source_key);
CREATE INDEX provider_answers_asked_at ON public.provider_answers USING btree (asked_at);
CREATE INDEX provider_answers_tags ON public.provider_answers USING gin (tags);
CREATE INDEX regions_fips ON public.regions USING btree (fips);
CREATE INDEX regions_search_words ON public.regions USING gin (search_words gin_trgm_ops);
CREATE INDEX row_versions_at ON public.row_versions USING btree (at);
CREATE INDEX run_rejects_run ON public.run_rejects USING btree (run_id, reason);
CREATE INDEX runs_feed ON public.runs USING btree (feed_id, id DESC);
CREATE UNIQUE INDEX runs_job ON public.runs USING btree (job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX sale_overrides_county ON public.sale_overrides USING btree (fips);
CREATE INDEX saved_markets_region ON public.saved_markets USING btree (region_id);
CREATE INDEX search_changes_at ON public.search_changes USING brin (at);
CREATE INDEX search_members_parcel ON public.search_members USING btree (property_id);
CREATE INDEX searches_company ON public.searches USING btree (company_id);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id);
CREATE INDEX sign_in_links_user ON public.sign_in_links USING btree (user_id);
CREATE INDEX situs_words_fips ON ONLY public.situs_words USING btree (fips);
CREATE INDEX traces_account ON public.traces USING btree (account_id, asked_at);
CREATE INDEX traces_asked_at ON public.traces USING btree (asked_at);
CREATE INDEX users_company ON public.users USING btree (company_id);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
CREATE INDEX valuations_dirty_fips ON public.valuations_dirty USING btree (fips);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_at) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (webhook_id, created_at DESC);
CREATE INDEX webhook_messages_at ON public.webhook_messages USING btree (at);
CREATE INDEX webhook_messages_webhook ON public.webhook_messages USING btree (webhook_id) WHERE (webhook_id IS NOT NULL);
CREATE INDEX webhook_secrets_webhook ON public.webhook_secrets USING btree (webhook_id);
CREATE INDEX webhooks_account ON public.webhooks USING btree (account_id);
CREATE INDEX webhooks_search ON public.webhooks USING btree (search_id) WHERE (search_id IS NOT NULL);
CREATE INDEX withheld_contacts_feed ON public.withheld_contacts USING btree (feed_id);
alter table accounts add constraint accounts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table accounts add constraint accounts_tier_fkey FOREIGN KEY (tier) REFERENCES tiers(name);
alter table accounts add constraint accounts_user FOREIGN KEY (user_id, company_id) REFERENCES users(id, company_id) ON UPDATE CASCADE;
alter table api_keys add constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table comp_report_comps add constraint comp_report_comps_report_id_fkey FOREIGN KEY (report_id) REFERENCES comp_reports(id) ON DELETE CASCADE;
alter table comp_report_overrides add constraint comp_report_overrides_report_id_fkey FOREIGN KEY (report_id) REFERENCES comp_reports(id) ON DELETE CASCADE;
alter table comp_reports add constraint comp_reports_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table comp_reports add constraint comp_reports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
alter table company_brands add constraint company_brands_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE;
alter table contacts add constraint contacts_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table county_facts add constraint county_facts_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table deal_boards add constraint deal_boards_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table deal_boards add constraint deal_boards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table deals add constraint deals_board_id_fkey FOREIGN KEY (board_id) REFERENCES deal_boards(id) ON DELETE CASCADE;
alter table dnc_areas add constraint dnc_areas_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table do_not_call add constraint do_not_call_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table do_not_mail add constraint do_not_mail_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table elevation_tiles add constraint elevation_tiles_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table export_parts add constraint export_parts_export_id_fkey FOREIGN KEY (export_id) REFERENCES exports(id) ON DELETE CASCADE;
alter table exports add constraint exports_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table exports add constraint exports_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table idempotent_calls add constraint idempotent_calls_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table imagery_sources add constraint imagery_sources_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table invitations add constraint invitations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE;
alter table land_layers add constraint land_layers_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table land_layers add constraint land_layers_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id);
alter table layer_features add constraint layer_features_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table list_calls add constraint list_calls_list_id_fkey FOREIGN KEY (list_id) REFERENCES lists(id) ON DELETE CASCADE;
alter table list_calls add constraint list_calls_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL;
alter table list_rows add constraint list_rows_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES deals(id) ON DELETE SET NULL;
alter table list_rows add constraint list_rows_list_id_fkey FOREIGN KEY (list_id) REFERENCES lists(id) ON DELETE CASCADE;
alter table listing_events add constraint listing_events_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id);
alter table listings add constraint listings_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table lists add constraint lists_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table market_history add constraint market_history_type_code_fkey FOREIGN KEY (type, code) REFERENCES regions(type, code);
alter table market_views add constraint market_views_market_id_fkey FOREIGN KEY (market_id) REFERENCES saved_markets(id) ON DELETE CASCADE;
alter table market_views add constraint market_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table number_blocks add constraint number_blocks_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table oauth_records add constraint oauth_records_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
alter table passwords add constraint passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table region_stats add constraint region_stats_type_code_fkey FOREIGN KEY (type, code) REFERENCES regions(type, code);
alter table restated_regions add constraint restated_regions_type_code_fkey FOREIGN KEY (type, code) REFERENCES regions(type, code);
alter table run_rejects add constraint run_rejects_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE;
alter table runs add constraint runs_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);
alter table saved_markets add constraint saved_markets_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table saved_markets add constraint saved_markets_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions(id) ON UPDATE CASCADE;
alter table search_changes add constraint search_changes_search_id_fkey FOREIGN KEY (search_id) REFERENCES searches(id) ON DELETE CASCADE;
alter table search_members add constraint search_members_search_id_fkey FOREIGN KEY (search_id) REFERENCES searches(id) ON DELETE CASCADE;
alter table search_readers add constraint search_readers_search_id_fkey FOREIGN KEY (search_id) REFERENCES searches(id) ON DELETE CASCADE;
alter table search_readers add constraint search_readers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table search_views add constraint search_views_search_id_fkey FOREIGN KEY (search_id) REFERENCES searches(id) ON DELETE CASCADE;
alter table search_views add constraint search_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table searches add constraint searches_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table searches add constraint searches_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table searches add constraint searches_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE SET NULL;
alter table sessions add constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table sign_in_links add constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table undo_listings add constraint undo_listings_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE;
alter table undo_parcels add constraint undo_parcels_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE;
alter table usage_daily add constraint usage_daily_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table usage_periods add constraint usage_periods_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table users add constraint users_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id);
alter table webhook_deliveries add constraint webhook_deliveries_message_id_fkey FOREIGN KEY (message_id) REFERENCES webhook_messages(id) ON DELETE CASCADE;
alter table webhook_deliveries add constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
alter table webhook_messages add constraint webhook_messages_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
alter table webhook_secrets add constraint webhook_secrets_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
alter table webhooks add constraint webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table withheld_contacts add constraint withheld_contacts_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id);

create view counted_listings as
 SELECT l.fips,
    l.zip,
    (
        CASE l.status
            WHEN 'ACTIVE'::text THEN 0
            WHEN 'PENDING'::text THEN 1
            ELSE 2
        END)::"char" AS status,
    ((l.price * (100)::numeric))::bigint AS cents,
    l.lot_acres,
    l.sold_date,
    COALESCE(l.days_on_market,
        CASE
            WHEN (l.listed_date <= latest.day) THEN (latest.day - l.listed_date)
            ELSE NULL::integer
        END) AS days_on_market,
        CASE
            WHEN (l.status = 'SOLD'::text) THEN (l.asked_price)::double precision
            ELSE NULL::double precision
        END AS asked,
    f.as_of AS feed_day
   FROM ((listings l
     JOIN feeds f ON ((f.id = l.feed_id)))
     CROSS JOIN LATERAL ( SELECT COALESCE(l.status_date, l.sold_date) AS day) latest)
  WHERE ((l.status <> 'OFF_MARKET'::text) AND (l.lot_acres > (0)::double precision) AND (l.price > (0)::numeric));

create view dated_listings as
 SELECT l.fips,
    l.zip,
    (2)::"char" AS status,
    ((l.price * (100)::numeric))::bigint AS cents,
    l.lot_acres,
    l.sold_date AS since,
    NULL::date AS until,
    COALESCE(l.days_on_market,
        CASE
            WHEN (l.listed_date <= latest.day) THEN (latest.day - l.listed_date)
            ELSE NULL::integer
        END) AS days_on_market,
    (l.asked_price)::double precision AS asked,
    f.as_of AS feed_day,
    NULL::date AS listed_from
   FROM ((listings l
     JOIN feeds f ON ((f.id = l.feed_id)))
     CROSS JOIN LATERAL ( SELECT COALESCE(l.status_date, l.sold_date) AS day) latest)
  WHERE ((l.status = 'SOLD'::text) AND (l.lot_acres > (0)::double precision) AND (l.price > (0)::numeric))
UNION ALL
 SELECT l.fips,
    l.zip,
    (
        CASE e.status
            WHEN 'ACTIVE'::text THEN 0
            ELSE 1
        END)::"char" AS status,
    ((e.price * (100)::numeric))::bigint AS cents,
    l.lot_acres,
    e.since,
    e.until,
    NULL::integer AS days_on_market,
    NULL::double precision AS asked,
    f.as_of AS feed_day,
    f.listed_from
   FROM ((( SELECT f_1.id,
            f_1.as_of,
            LEAST(f_1.as_of, (COALESCE(r.merged, (f_1.created_at AT TIME ZONE 'UTC'::text)))::date) AS listed_from
           FROM (feeds f_1
             CROSS JOIN LATERAL ( SELECT (min(r_1.finished_at) AT TIME ZONE 'UTC'::text) AS merged
                   FROM runs r_1
                  WHERE ((r_1.feed_id = f_1.id) AND (r_1.status = 'merged'::text))) r)
          WHERE (f_1.kind = 'listings'::text)) f
     JOIN listings l ON ((l.feed_id = f.id)))
     CROSS JOIN LATERAL ( SELECT seen.status,
            seen.price,
            seen.since,
            LEAST(min(seen.since) OVER (ORDER BY seen.run_id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                CASE
                    WHEN (l.status = 'SOLD'::text) THEN l.sold_date
                    ELSE NULL::date
                END) AS until
           FROM ( SELECT e_1.run_id,
                    e_1.status,
                    e_1.price,
                    LEAST(e_1.status_date, ((e_1.recorded_at AT TIME ZONE 'UTC'::text))::date, f.as_of) AS since
                   FROM listing_events e_1
                  WHERE (e_1.listing_id = l.id)) seen) e)
  WHERE ((e.status = ANY (ARRAY['ACTIVE'::text, 'PENDING'::text])) AND (l.lot_acres > (0)::double precision) AND (e.price > (0)::numeric) AND COALESCE((e.since < e.until), true));

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.accounts FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE OF account_id, name, key_hash, prefix, scopes, expires_at, revoked_at, origins ON public.api_keys FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE TRIGGER keeps_all BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.companies FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE TRIGGER record_deal_change AFTER INSERT OR DELETE OR UPDATE OF status, deal_type, purchase_price, agent_fee, misc_costs, closing_costs, expected_sell_price, contract_expiration_date, closing_date, own_price, listed_price, fetch_status, listing_grade, price_advantage, traction_score, suggested_action, suggested_action_price, advice_held_until, advice_dismissed_on ON public.deals FOR EACH ROW EXECUTE FUNCTION record_deal_change();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.sale_overrides FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.tiers FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE OF url, types, fips, search_id, enabled ON public.webhooks FOR EACH ROW EXECUTE FUNCTION record_change();
