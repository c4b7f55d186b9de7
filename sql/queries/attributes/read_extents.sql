-- Where the features and files of some layers in some places lie.
-- $1 feed ids int[], $2 boxes in 1e-7 degrees text[]
-- Returns: west, south, east, north in 1e-7 degrees
select
  feed_id, (extent[1])[0] as west, (extent[1])[1] as south, (extent[0])[0] as east, (extent[0])[1] as north
from (
  select l.feed_id, l.extent
  from unnest($2::text[]) place
  join layer_features l on l.extent && place::box
  where l.feed_id = any ($1)
  union all
  select t.feed_id, t.extent
  from unnest($2::text[]) place
  join elevation_tiles t on t.extent && place::box
  where t.feed_id = any ($1)
) shown
