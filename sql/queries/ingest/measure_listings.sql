-- The figures that the gate compares and the run reports.
-- Returns: one row of counts
select
  count(*) filter (where state <> 'gone')::int as listings,
  count(*) filter (where state = 'new')::int as new,
  count(*) filter (where state = 'changed')::int as changed,
  count(*) filter (where state = 'unchanged')::int as unchanged,
  count(*) filter (where state = 'gone')::int as retired
from stage_listing_match
