-- Lets one transaction at a time write the words of a county's owners: two feeds may bring parcels of one county.
-- $1 number of the lock int, $2 counties int[]
select pg_advisory_xact_lock($1::int, fips)
from (select fips from unnest($2::int[]) fips order by fips) counties
