-- Marks the parcels that a merge has just added.
-- $1 feed id int
insert into attributes_dirty (fips, property_id, layers)
select p.fips, p.property_id, 15
from stage_match m
join parcels p on p.fips = m.fips and p.source_key = m.key and p.feed_id = $1
where m.state = 'new'
