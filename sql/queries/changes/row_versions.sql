-- name: find_versions_since
-- The row_versions that were committed after a time or another row_version: the first, and larger ones that
-- were committed before. `at` or `version` is null. `newest`: the largest of all.
with cut as (
  select coalesce(max(n), 0) as n
  from row_versions
  where case
    when :version::bigint is null then at < :at::timestamptz
    else version = (select max(version) from row_versions where version <= :version)
  end
),
later as (
  select min(v.version) as first from row_versions v join cut on v.n > cut.n
)
select
  later.first,
  array(select v.version from row_versions v join cut on v.n <= cut.n where v.version > later.first) as before,
  (select max(version) from row_versions) as newest
from later
