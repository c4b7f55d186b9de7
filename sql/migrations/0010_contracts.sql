-- Tiers with their terms, contracts that can end, what past periods were worth, who changed what, and answers kept for
-- repeated calls.

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

-- An account without a tier has no contract, and so no period. A contract keeps the terms under which it was made.
alter table accounts drop constraint accounts_tier_check;
alter table accounts alter column tier drop not null;
alter table accounts add foreign key (tier) references tiers (name);
alter table accounts alter column period_anchor drop not null;
alter table accounts alter column period_start drop not null;
alter table accounts alter column period_end drop not null;
alter table accounts add column overage_cents_per_1000 int not null default 0 check (overage_cents_per_1000 >= 0);
alter table accounts add column user_email text;
update accounts a set overage_cents_per_1000 = t.overage_cents_per_1000 from tiers t where t.name = a.tier;
alter table accounts add constraint accounts_contract check (
  case when tier is null then coalesce(period_anchor, period_start, period_end) is null
  else period_anchor is not null and period_start is not null and period_end is not null end
);
-- For those whose period is over.
create index accounts_period_end on accounts (period_end);

-- The terms of a period that is over; of the current one they are the account's.
alter table usage_periods add column period_end timestamptz;
alter table usage_periods add column tier text;
alter table usage_periods add column tokens_included bigint;
alter table usage_periods add column overage_cents_per_1000 int;

-- Sorted by code points, whatever the database's own order is: the primary key is read in the order of the answer.
alter table usage_daily alter column endpoint type text collate "C", alter column mode type text collate "C";

-- Every change of an account, a key, a company or a tier; never updated, never deleted.
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

-- Who: the setting plat.actor of the transaction, else the database's user.
create function record_change() returns trigger language plpgsql as $$
declare
  hidden constant text[] := '{key_hash,last_used_at,tokens_allowed}';
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
