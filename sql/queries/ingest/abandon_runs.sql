-- Marks the runs of a feed whose worker died and whose job has not come back. Only under the feed's lock, when no
-- other run of it can be under way.
-- $1 feed id int, $2 run id bigint of the one that is under way
-- Returns: id
update runs
set
  status = 'failed', error_code = 'interrupted', error = 'The worker ended before the run did.',
  finished_at = clock_timestamp()
where feed_id = $1 and id <> $2 and status = 'running'
returning id
