-- name: list_layer_items
-- A page of the features of a collection, in the order of an index. `layers`: a condition on land_layers.
-- `features`: a condition on layer_features l. `where`: the box, the id, or the start of the page.
select l.id, l.feed_id, l.hash, l.class, l.name, l.overlays, l.geometry
from layer_features l
where l.feed_id in (select feed_id from land_layers where {{layers}}) and {{features}} and {{where}}
order by l.feed_id, l.hash
limit :limit
