-- Whether statistics are due, and whether a job that computes them is on its way.
-- Returns: due, open
select
  exists (select from stats_dirty) as due,
  exists (select from jobs where name = 'market.recompute' and status in ('queued', 'running')) as open
