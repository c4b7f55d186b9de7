-- The usage of an account's current period by UTC day, endpoint and mode, read in the order of the primary key; each
-- column as one text with spaces: a year of heavy use has thousands of records. As JSON from here they were twice the
-- bytes and cost the server a quarter more. Days are those since 1970-01-01. `over` when the period has to be rolled
-- first; endpoint and mode come with the JSON between them. $1 account id
select a.period_start, a.period_end, coalesce(a.period_end <= now(), false) as over, r.*
from accounts a, lateral (
  select string_agg((day - date '1970-01-01')::text, ' ') as days,
    string_agg(endpoint || '","mode":"' || mode, ' ') as endpoints, string_agg(tokens::text, ' ') as tokens
  from (
    select day, endpoint, mode, tokens from usage_daily
    where account_id = a.id and period_start = a.period_start
    order by day, endpoint, mode
  ) as records
) as r
where a.id = $1;
