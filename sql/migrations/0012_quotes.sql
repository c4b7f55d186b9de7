-- How many quotes of filters an account has asked for on its latest day, in UTC. Losing the rows in a crash
-- gives the day's quotes anew, which is why the table needs no log.
create unlogged table quote_counts (
  account_id uuid primary key,
  day date not null,
  quotes int not null
);
