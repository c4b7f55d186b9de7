-- The county that each ZIP falls in.
-- Returns: zip, fips
select code as zip, fips
from regions
where type = 'zip'
