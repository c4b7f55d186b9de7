-- For each county that an operator added, lists the last job that added it, the runs that the job requested,
-- and the kinds of data loaded so far, from any feed. An overlay's kind is its preset.
with last_jobs as (
  select distinct on (payload ->> 'county') id, (payload ->> 'county')::int as fips, status, error, result, queued_at
  from jobs
  where name = 'feeds.add_county' and payload -> 'write' = 'true'
  order by payload ->> 'county', queued_at desc
),
loaded as (
  select (f.definition ->> 'fips')::int as fips, array_agg(
    distinct case when f.kind = 'overlay' then coalesce(f.definition ->> 'preset', '') else f.kind end) as kinds
  from feeds f
  where exists (select from runs r where r.feed_id = f.id and r.status in ('merged', 'unchanged'))
  group by 1
)
select j.id, j.fips, j.status, j.error, j.result, j.queued_at, asked.runs,
  coalesce(l.kinds, '{}') || case when c.parcels > 0 then '{assessor}'::text[] else '{}' end as loaded
from last_jobs j
cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object(
    'feed', named ->> 'feed', 'status', coalesce(run.result ->> 'status', run.status), 'error', run.error,
    'id', run.result -> 'runId'
  )), '[]') as runs
  from jsonb_array_elements(j.result -> 'runs') named
  join jobs run on run.id = (named ->> 'job')::uuid
) asked
left join loaded l on l.fips = j.fips
left join county_coverage c on c.fips = j.fips
order by j.queued_at desc;
