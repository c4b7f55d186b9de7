-- name: list_layer_items
-- A page of the features of all layers of a kind, in the order of an index. `where`: the box, the id, or the
-- start of the page.
select l.id, l.feed_id, l.hash, l.class, l.name, l.geometry
from layer_features l
where l.feed_id in (select feed_id from land_layers where kind = :kind) and {{where}}
order by l.feed_id, l.hash
limit :limit
