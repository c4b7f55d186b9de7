-- Deal flow: what a person sells, stage by stage, with the live listing, its grade and the advice.

-- How often a listing was looked at and saved, where its source tells.
alter table listings add column views int, add column saves int;

-- Deals are found by the address of their page, and people paste the street address of a listing.
create index listings_url on listings using hash (url) where url <> '';
create index listings_address on listings (upper(address) text_pattern_ops) where status in ('ACTIVE', 'PENDING') and address <> '';

-- A board is a user's, or that of an account without one. Its row is the lock under which the board changes, and the version tells that
-- it did.
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
  -- Said by the person, and the listing's own price at that moment: as soon as the listing shows another one, that counts.
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

  check (status = 'listed' or suggested_action = ''),
  check ((suggested_action = 'drop') = (suggested_action_price is not null)),
  -- So that the profit has at most 10 digits before the point.
  check (
    coalesce(purchase_price, 0) + coalesce(agent_fee, 0) + coalesce(misc_costs, 0) + coalesce(closing_costs, 0) <= 9999999999.99
  )
);

create index deals_board on deals (board_id, status, position);
create index deals_county on deals (fips) where status = 'listed' or seen_at is null;

-- Every change that a person would ask about: who made it, when, why, and the figures after it. Kept also of deals that were removed.
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
