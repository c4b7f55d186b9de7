-- The run whose data is what readers see now.
-- $1 feed id int
select id, counts
from runs
where feed_id = $1 and status in ('merged', 'unchanged')
order by id desc
limit 1
