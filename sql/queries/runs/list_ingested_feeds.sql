-- The feeds that have data: those with a run that was accepted.
-- Returns: name
select distinct f.name
from feeds f
join runs r on r.feed_id = f.id
where r.status in ('merged', 'unchanged')
