-- Adds the features that the feed shows for the first time.
-- $1 feed id int
insert into layer_features (feed_id, hash, class, extent, geometry)
select $1, s.hash, s.class, s.extent, s.geometry
from stage_layer s
where not exists (select from layer_features f where f.feed_id = $1 and f.hash = s.hash)
order by s.row_no
