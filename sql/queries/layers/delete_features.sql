-- Removes all features of a layer.
-- $1 feed id int
delete from layer_features
where feed_id = $1
