-- The figures that the gate compares and the run reports.
-- $1 feed id int
-- Returns: one row of counts
with current as (
  select
    count(*)::int as parcels,
    count(*) filter (where in_roll and in_shape)::int as joined,
    count(*) filter (where in_roll and not in_shape)::int as roll_without_shape,
    count(*) filter (where in_shape and not in_roll)::int as shape_without_roll,
    count(*) filter (where state = 'new')::int as new,
    count(*) filter (where state = 'changed')::int as changed,
    count(*) filter (where state = 'returned')::int as returned,
    count(*) filter (where state = 'unchanged')::int as unchanged
  from stage_match
),
before as (
  select count(*)::int as active
  from parcels
  where feed_id = $1 and retired_at is null
)
select
  current.*,
  before.active as active_before,
  before.active - current.changed - current.unchanged as retired
from current, before
