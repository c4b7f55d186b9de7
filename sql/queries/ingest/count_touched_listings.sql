-- How many listings of the run are new or changed.
-- Returns: touched
select count(*) filter (where state <> 'unchanged')::int as touched
from stage_listing_match
