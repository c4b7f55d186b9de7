-- What providers of telephone numbers have answered, and what they charged.

create table provider_answers (
  -- HMAC of the provider and what it was asked.
  question bytea primary key,
  provider text not null,
  asked_at timestamptz not null default now(),
  -- {first_name, last_name, phones}; null when it knew nobody.
  answer jsonb,
  -- HMACs by which the suppression list would know who was asked for and found: what is to be forgotten is found by them.
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
