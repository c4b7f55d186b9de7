-- The regions whose statistics the run's new, changed and gone listings can move: where a listing is, and where it
-- was. In one order for all merges, so that two of them cannot wait for each other.
-- Returns: nothing; adds to stats_dirty
insert into stats_dirty (type, code)
select r.type, r.code
from regions r
join (
  select 'county' as type, lpad(s.fips::text, 5, '0') as code
  from stage_listing s
  join stage_listing_match m on m.id = s.id
  where m.state <> 'unchanged'
  union
  select 'zip', s.zip
  from stage_listing s
  join stage_listing_match m on m.id = s.id
  where m.state <> 'unchanged'
  union
  select 'county', lpad(old_fips::text, 5, '0')
  from stage_listing_match
  where state <> 'unchanged'
  union
  select 'zip', old_zip
  from stage_listing_match
  where state <> 'unchanged'
) touched using (type, code)
order by r.type, r.code
on conflict (type, code) do update set marked_at = clock_timestamp()
