-- Where an incremental feed goes on after what has just been merged; part of the merging transaction.
-- $1 feed id int, $2 checkpoint jsonb
update feeds
set checkpoint = $2, updated_at = now()
where id = $1
