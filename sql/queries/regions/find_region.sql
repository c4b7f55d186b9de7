-- Whether there is a region.
-- $1 type text (county, zip), $2 code text (FIPS or ZIP)
-- Returns: one row without columns, or none
select
from regions
where type = $1 and code = $2
