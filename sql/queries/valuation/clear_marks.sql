-- Takes back marks that were dealt with.
-- $1 ids bigint[]
delete from valuations_dirty where id = any ($1::bigint[])
