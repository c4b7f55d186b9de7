-- name: find_versions_since
-- Finds the row_versions that were committed after a time or after another row_version. `first`: the smallest
-- of them. `before`: row_versions larger than `first` that were committed earlier. `newest`: the largest
-- row_version of all. Either `at` or `version` is null.
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
