-- The counties in which parcels are new, changed or back.
select distinct fips
from stage_match
where state <> 'unchanged'
