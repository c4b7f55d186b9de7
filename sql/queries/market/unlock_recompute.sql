-- Gives back the lock of try_lock_recompute. $1 the lock's number.
select pg_advisory_unlock($1);
