-- The run whose data is what readers see now. Not the one of the highest number: a failed run may be done again
-- after a later one.
-- $1 feed id int
-- Returns: id, counts
select id, counts
from runs
where feed_id = $1 and status in ('merged', 'unchanged')
order by finished_at desc
limit 1
