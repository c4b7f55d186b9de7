-- Removes the features that the feed no longer shows.
-- $1 feed id int
delete from layer_features f
where f.feed_id = $1 and not exists (select from stage_layer s where s.hash = f.hash)
