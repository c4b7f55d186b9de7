-- What the merge will do with every listing of the run, its status and place before included.
create unlogged table stage_listing_match as
select
  s.id,
  l.status as old_status,
  l.fips as old_fips,
  l.zip as old_zip,
  case
    when l.id is null then 'new'
    when l.row_hash <> s.hash then 'changed'
    else 'unchanged'
  end as state,
  l.id is null or l.status <> s.status or l.price <> s.price as event
from stage_listing s
left join listings l on l.id = s.id
