-- Lets calls through by their accounts' token buckets, for many calls at once. The bucket of all calls holds `burst` of them and
-- gains per_minute/60 a second; that of skip traces holds a minute's worth, and a skip trace needs one of each. Levels are in
-- 60 millionths of a call. An account appears once, and accounts come in their order, so that two processes cannot wait
-- for each other. Plain calls are let through first.
-- $1 account ids, $2 calls that are no skip traces, $3 skip traces, $4 calls a minute, $5 bursts, $6 skip traces a minute
insert into rate_buckets as b (
  account_id, per_minute, burst, skip_trace_per_minute, level, skip_trace_level, plain_admitted, skip_traces_admitted, updated_at
)
select account_id, per_minute, burst, skip_trace_per_minute, 60000000::bigint * (burst - plain - traces),
  60000000::bigint * (skip_trace_per_minute - traces), plain, traces, now()
from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[])
  as asked (account_id, calls, skip_traces, per_minute, burst, skip_trace_per_minute),
  lateral (select least(calls, burst) as plain) as first,
  lateral (select least(skip_traces, skip_trace_per_minute, burst - plain) as traces) as second
on conflict (account_id) do update set (
  per_minute, burst, skip_trace_per_minute, level, skip_trace_level, plain_admitted, skip_traces_admitted, updated_at
) = (
  -- What is excluded is what full buckets would let through: they can do no more, whatever was asked for.
  select excluded.per_minute, excluded.burst, excluded.skip_trace_per_minute, full_level - 60000000::bigint * (plain + traces),
    full_trace_level - 60000000::bigint * traces, plain, traces, moment
  -- Of two statements that wait for each other the later one may have begun earlier.
  from (select greatest(b.updated_at, now()) as moment offset 0) as clock,
    lateral (select extract(epoch from moment - b.updated_at) * 1000000 as passed offset 0) as since,
    lateral (
      select least(60000000::bigint * excluded.burst, b.level + passed * excluded.per_minute)::bigint as full_level,
        least(
          60000000::bigint * excluded.skip_trace_per_minute, b.skip_trace_level + passed * excluded.skip_trace_per_minute
        )::bigint as full_trace_level
      offset 0
    ) as refilled,
    lateral (select least(excluded.plain_admitted, full_level / 60000000)::int as plain offset 0) as first,
    lateral (
      select least(excluded.skip_traces_admitted, full_trace_level / 60000000, full_level / 60000000 - plain)::int as traces
      offset 0
    ) as second
)
returning account_id, level, skip_trace_level, plain_admitted, skip_traces_admitted;
