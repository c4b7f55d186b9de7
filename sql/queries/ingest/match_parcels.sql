-- What the merge will do with every key of the run. Made before the merging transaction: only this feed's runs,
-- of which one is under way at a time, write parcels of this feed.
-- CREATE TABLE AS takes no parameters: the feed is the setting plat.feed_id of the session.
create unlogged table stage_match as
select
  coalesce(r.fips, s.fips) as fips,
  coalesce(r.key, s.key) as key,
  coalesce(r.row_no, s.row_no) as row_no,
  r.key is not null and r.input = 0 as in_roll,
  s.key is not null as in_shape,
  p.property_id,
  case
    when p.property_id is null then 'new'
    when p.retired_at is not null then 'returned'
    when p.roll_hash is distinct from r.hash or p.shape_hash is distinct from s.hash then 'changed'
    else 'unchanged'
  end as state
from stage_roll r
full join stage_shape s on s.fips = r.fips and s.key = r.key
left join parcels p
  on p.fips = coalesce(r.fips, s.fips)
  and p.source_key = coalesce(r.key, s.key)
  and p.feed_id = current_setting('plat.feed_id')::int
