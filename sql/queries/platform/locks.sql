-- name: try_lock
-- Acquires a lock if it is free, and returns whether it did. ask: the function to call. lock: one or two
-- numbers.
select {{ask}}({{lock}}) as held

-- name: unlock
-- Releases a lock that this connection holds. lock: one or two numbers.
select pg_advisory_unlock({{lock}})

-- name: wait_for_lock
-- Waits for a lock, which the connection holds until it closes.
select pg_advisory_lock(:lock)

-- name: wait_in_transaction
-- Waits for a lock, which the transaction holds until it ends.
select pg_advisory_xact_lock(:lock)
