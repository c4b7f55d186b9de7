-- How far the layers of roads reach.
-- Returns: reach_m
select reach_m
from land_layers
where reach_m is not null
