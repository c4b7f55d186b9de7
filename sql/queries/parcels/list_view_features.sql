-- The features of all layers of a kind whose extent meets a view, the largest first.
-- $1 box in 1e-7 degrees text, $2 kind text, $3 limit int
select l.class, l.geometry
from layer_features l
where l.extent && $1::box
  and l.feed_id in (select feed_id from land_layers where kind = $2)
order by area(l.extent) desc, l.id
limit $3
