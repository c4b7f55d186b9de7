-- The layers that readers see: few rows, one a feed.
-- Returns: coverage in 1e-7 degrees
select
  feed_id, kind, run_id, fips, reach_m,
  (coverage[1])[0] as west, (coverage[1])[1] as south, (coverage[0])[0] as east, (coverage[0])[1] as north
from land_layers
order by run_id
