-- The version of a layer that readers see, its coverage in degrees.
-- $1 feed id int
-- Returns: west, south, east, north, fips, reach_m
select
  (coverage[1])[0] / 1e7 as west,
  (coverage[1])[1] / 1e7 as south,
  (coverage[0])[0] / 1e7 as east,
  (coverage[0])[1] / 1e7 as north,
  fips,
  reach_m
from land_layers
where feed_id = $1
