-- name: give_rows
-- Marks some of a county's parcels as paid for by a company, and returns how many were not free. Waits for
-- other transactions that mark the same rows, and then sees their marks. Fragments: fips, company, ids, and
-- versions.
with given as (
  insert into given_rows as g (fips, company_id, property_id, version)
  select {{fips}}, {{company}}::uuid, t.property_id, t.version
  from unnest({{ids}}::bigint[], {{versions}}::bigint[]) as t (property_id, version)
  -- Sorted, so that transactions that mark the same rows wait for each other but never deadlock.
  order by t.property_id
  on conflict (fips, company_id, property_id) do update
  set version = excluded.version, given_at = excluded.given_at
  -- Without a time zone, the comparison is immutable, which a cluster requires here.
  where g.version <> excluded.version
    or (g.given_at at time zone 'UTC') <= (excluded.given_at at time zone 'UTC') - interval '30 days'
  returning 1
)
select count(*)::int as charged from given

-- name: list_free_rows
-- The parcels of a county that a company has already paid for and that haven't changed since.
select g.property_id
from given_rows g
join unnest(:property_ids::bigint[], :versions::bigint[]) as t (property_id, version)
  on t.property_id = g.property_id and t.version = g.version
where g.fips = :fips::int and g.company_id = :company_id::uuid and g.property_id = any (:property_ids)
  and g.given_at > now() - interval '30 days'

-- name: delete_old_given
-- Deletes marks, in all counties, that are too old to make a row free.
delete from given_rows where given_at <= now() - interval '30 days'
