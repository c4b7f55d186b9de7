-- Whether parcels wait for their attributes, and whether a job that plans or computes them is on its way.
-- Returns: waiting, open
select
  (select count(*)::int from attributes_dirty) as waiting,
  exists (
    select from jobs where name in ('attributes.plan', 'attributes.chunk') and status in ('queued', 'running')
  ) as open
