-- The counties in which a mark waits for a plan: it has no chunk, or one whose job has ended or was never there.
select distinct d.fips
from attributes_dirty d
where d.chunk is null
  or d.chunk not in (
    select (j.payload ->> 'chunk')::bigint
    from jobs j
    where j.name = 'attributes.chunk' and j.status in ('queued', 'running')
  )
order by d.fips
