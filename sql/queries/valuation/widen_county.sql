-- Notes that some of a county's valuations depend on comps so far away.
-- $1 county FIPS int, $2 metres float8
update valuation_counties set reach_m = $2 where fips = $1 and reach_m < $2
