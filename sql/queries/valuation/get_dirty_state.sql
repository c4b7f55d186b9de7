-- Whether parcels wait to be valued, and whether a job that does it is on its way.
-- $1 version of the model text
-- Returns: due (there are marks), unfitted (there are comps, but no model of that version), open (jobs)
select
  exists (select from valuations_dirty) as due,
  exists (select from listings) and not exists (
    select from valuation_model where parameters ->> 'version' = $1
  ) as unfitted,
  exists (
    select from jobs
    where name in ('valuation.fit', 'valuation.county', 'valuation.refresh') and status in ('queued', 'running')
  ) as open
