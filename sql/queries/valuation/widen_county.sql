-- Notes that some of a county's valuations depend on comps farther away.
-- $1 county FIPS int, $2 metres of the farthest float8, $3 of each cell of the county, packed bytea
update valuation_counties set reach_m = greatest(reach_m, $2), reaches = $3 where fips = $1
