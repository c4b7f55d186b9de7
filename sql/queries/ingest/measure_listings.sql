-- The figures that the gate compares and the run reports.
-- $1 feed id int, $2 whether the feed lists everything boolean
-- Returns: one row of counts
with current as (
  select
    count(*)::int as listings,
    count(*) filter (where state = 'new')::int as new,
    count(*) filter (where state = 'changed')::int as changed,
    count(*) filter (where state = 'unchanged')::int as unchanged
  from stage_listing_match
),
missing as (
  select count(*)::int as retired
  from listings l
  where $2
    and l.feed_id = $1
    and l.status in ('ACTIVE', 'PENDING')
    and not exists (select from stage_listing_match m where m.id = l.id)
)
select current.*, missing.retired
from current, missing
