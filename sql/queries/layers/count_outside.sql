-- How many of the run's features lie in none of the given boxes.
-- $1..$4 west, south, east, north double precision[] of the boxes, in degrees
-- Returns: outside
select count(*)::int as outside
from stage_layer s
where not exists (
  select
  from unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[]) as b (west, south, east, north)
  where box(point(b.west * 1e7, b.south * 1e7), point(b.east * 1e7, b.north * 1e7)) && s.extent
)
