-- Adds what a feed that lists everything no longer shows to what the merge will do.
-- $1 feed id int
insert into stage_listing_match (id, old_status, old_fips, old_zip, state, event)
select l.id, l.status, l.fips, l.zip, 'gone', true
from listings l
where l.feed_id = $1
  and l.status in ('ACTIVE', 'PENDING')
  and not exists (select from stage_listing s where s.id = l.id)
