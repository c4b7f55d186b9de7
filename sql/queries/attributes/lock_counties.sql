-- Until the transaction ends no chunk of these counties is written. A merge takes it before anything else: what it writes
-- anew of a parcel for the filters then carries over all that chunks have written, and none waits for the other.
-- $1 number of the lock int, $2 counties int[]
select pg_advisory_xact_lock($1::int, fips)
from (select fips from unnest($2::int[]) fips order by fips) counties
