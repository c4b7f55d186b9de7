-- One recompute at a time in a database, so that what is written last was read last. Held until the session ends or unlocks.
-- $1 the lock's number.
select pg_try_advisory_lock($1) as locked;
