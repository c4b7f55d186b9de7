-- Says whose parcels copy_parcels.sql copies, until the transaction ends.
-- $1 county FIPS int
select set_config('plat.valuation_fips', $1::text, true)
