-- Takes back the marks of a county that is valued as a whole in this transaction.
-- $1 county FIPS int
delete from valuations_dirty where fips = $1
