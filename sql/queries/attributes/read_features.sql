-- The features of some layers in some places.
-- $1 feed ids int[], $2 boxes in 1e-7 degrees text[]
select feed_id, class, geometry
from layer_features
where id in (
  select l.id
  from unnest($2::text[]) place
  join layer_features l on l.extent && place::box
  where l.feed_id = any ($1)
)
order by id
