-- Where the parcels of a county are that were valued, and how far away a comp can be that matters to them.
-- $1 county FIPS int
-- Returns: west, south, east, north (integers of 1e-7 degree), reaches (of each cell of the county, packed)
select (extent[1])[0] as west, (extent[1])[1] as south, (extent[0])[0] as east, (extent[0])[1] as north, reaches
from valuation_counties
where fips = $1
