-- Forgets all files of a layer of heights; the files themselves are the operator's.
-- $1 feed id int
delete from elevation_tiles
where feed_id = $1
