-- Named sets of parcels of a company. What is known of a row's parcel, its owner and its value is read when
-- it is asked for: no copy has to follow the roll.
create table lists (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  name text not null,
  one_per_owner boolean not null,
  -- Null for a list without offers.
  offer_percent double precision check (offer_percent > 0),
  offer_of text check (offer_of in ('value', 'value_low', 'market_value', 'assessed_value')),
  -- Dollars.
  offer_round_to int check (offer_round_to > 0),
  -- Whose parcels are not added to this one.
  leave_out_lists uuid[] not null,
  -- Nor those of owners who were mailed so lately, from any list of the company.
  mailed_within_days int check (mailed_within_days > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint lists_offer check (num_nulls(offer_percent, offer_of, offer_round_to) in (0, 3))
);

create index lists_company on lists (company_id);

-- A parcel that leaves the roll stays in its lists, as its id does.
create table list_rows (
  list_id uuid not null references lists (id) on delete cascade,
  property_id bigint not null,
  status text not null default 'new'
    check (status in ('new', 'mailed', 'answered', 'returned', 'under_contract', 'not_interested')),
  -- Since when; null for a row that was always new.
  status_at timestamptz,
  note text not null default '',
  tags text[] not null default '{}',
  -- The last letter, and the key of the owner who got it: another owner since then had none.
  mailed_at timestamptz,
  mailed_to uuid,
  added_at timestamptz not null default now(),
  primary key (list_id, property_id)
);

create index list_rows_mailed on list_rows (list_id, mailed_at) where mailed_at is not null;

-- Owners, by the key of their mailing address, who want no letters of a company.
create table do_not_mail (
  company_id uuid not null references companies (id),
  owner_key uuid not null,
  marked_at timestamptz not null default now(),
  primary key (company_id, owner_key)
);
