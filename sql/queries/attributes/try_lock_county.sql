-- The other side of lock_counties.sql: chunks are written side by side, but not while a merge of the county is under way.
-- $1 number of the lock int, $2 fips int
select pg_try_advisory_xact_lock_shared($1::int, $2::int) as locked
