-- Forgets a county that has no parcels to value.
-- $1 county FIPS int
delete from valuation_counties where fips = $1
