-- name: give_rows
-- Marks parcels of a county as given to a company; it tells how many were not free. It waits for
-- others who give the same, and then sees what they gave. Places: fips, company, ids and versions.
with given as (
  insert into given_rows as g (fips, company_id, property_id, version)
  select {{fips}}, {{company}}::uuid, t.property_id, t.version
  from unnest({{ids}}::bigint[], {{versions}}::bigint[]) as t (property_id, version)
  -- In one order: those who give the same rows wait for one another and never in a circle.
  order by t.property_id
  on conflict (fips, company_id, property_id) do update
  set version = excluded.version, given_at = excluded.given_at
  -- Without a time zone the comparison is immutable, as a cluster wants it here.
  where g.version <> excluded.version
    or (g.given_at at time zone 'UTC') <= (excluded.given_at at time zone 'UTC') - interval '30 days'
  returning 1
)
select count(*)::int as charged from given

-- name: list_free_rows
-- Of parcels of a county those that a company was given as they are.
select g.property_id
from given_rows g
join unnest(:property_ids::bigint[], :versions::bigint[]) as t (property_id, version)
  on t.property_id = g.property_id and t.version = g.version
where g.fips = :fips::int and g.company_id = :company_id::uuid and g.property_id = any (:property_ids)
  and g.given_at > now() - interval '30 days'

-- name: delete_old_given
-- What was given too long ago to be free, of all counties.
delete from given_rows where given_at <= now() - interval '30 days'
