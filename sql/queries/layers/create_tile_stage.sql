-- The staging table of the files of a layer of heights, in the run's own schema. The columns of elevation_tiles.
create unlogged table stage_tile as
select *
from elevation_tiles
with no data
