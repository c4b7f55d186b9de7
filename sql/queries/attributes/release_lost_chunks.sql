-- Takes the marks of a county back from chunks whose job has ended or was never there.
-- $1 fips int
update attributes_dirty d
set chunk = null
where d.fips = $1
  and d.chunk not in (
    select (j.payload ->> 'chunk')::bigint
    from jobs j
    where j.name = 'attributes.chunk' and j.status in ('queued', 'running')
  )
