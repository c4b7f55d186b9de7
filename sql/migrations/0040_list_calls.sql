-- expanding: calls to the owners of a list, and owners who asked not to be called
-- Owners, by the key of their mailing address, who asked a company not to call them.
create table do_not_call (
  company_id uuid not null references companies (id),
  owner_key uuid not null,
  marked_at timestamptz not null default now(),
  primary key (company_id, owner_key)
);

-- Calls to the owners of a list's rows. They name no phone number.
create table list_calls (
  list_id uuid not null references lists (id) on delete cascade,
  property_id bigint not null,
  called_at timestamptz not null default now(),
  outcome text not null
    check (outcome in ('no_answer', 'left_message', 'wrong_number', 'answered', 'not_interested', 'do_not_call')),
  -- HMAC of the number, in the format of contact_suppressions: which number was wrong.
  number_hash bytea not null,
  -- Null once the user has been removed.
  user_id uuid references users (id) on delete set null,
  primary key (list_id, property_id, called_at)
);
