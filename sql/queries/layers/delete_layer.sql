-- Takes a layer away from what readers see.
-- $1 feed id int
delete from land_layers
where feed_id = $1
