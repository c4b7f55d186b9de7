-- Waits for those who write a county's valuations, and holds the others back until the transaction ends; FIPS 0 stands for
-- the model.
-- $1 first of the pair of advisory locks int, $2 county FIPS int
select pg_advisory_xact_lock($1, $2)
