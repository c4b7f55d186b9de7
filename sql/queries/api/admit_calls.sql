-- Takes one token a call from token buckets, for many calls at once. A bucket holds `burst` tokens at most, gains
-- per_minute/60 a second, and lets a call through when it has a whole token. One bucket appears once, and rows come
-- ordered by account and bucket, so that two processes cannot wait for each other.
-- $1 account ids, $2 bucket names, $3 calls, $4 calls a minute, $5 bursts
insert into rate_buckets as b (account_id, bucket, per_minute, burst, tokens, admitted, updated_at)
select account_id, bucket, per_minute, burst, burst - least(calls, burst), least(calls, burst), clock_timestamp()
from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::int[]) as asked (account_id, bucket, calls, per_minute, burst)
on conflict (account_id, bucket) do update set (per_minute, burst, tokens, admitted, updated_at) = (
  -- excluded.admitted is what is asked for, capped by what a full bucket holds.
  select excluded.per_minute, excluded.burst, full_tokens - taken, taken, moment
  from (select greatest(b.updated_at, clock_timestamp()) as moment offset 0) as clock,
    lateral (
      select least(
        excluded.burst,
        b.tokens + extract(epoch from moment - b.updated_at) * excluded.per_minute / 60.0
      )::double precision as full_tokens offset 0
    ) as refilled,
    lateral (select least(excluded.admitted, floor(full_tokens))::int as taken) as decided
)
returning account_id, bucket, tokens, admitted;
