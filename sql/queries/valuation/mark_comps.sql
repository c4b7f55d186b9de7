-- Marks the places of the run's new, changed and gone comps, where they are and where they were, before they are written;
-- or the whole market, when they are many.
-- $1 most comps that are marked one by one int
with moved as (
  select s.location, s.lot_acres as acres
  from stage_listing s
  join stage_listing_match m on m.id = s.id
  where m.state <> 'unchanged' and s.status <> 'OFF_MARKET' and s.location is not null and s.lot_acres > 0
  union all
  select l.location, l.lot_acres
  from stage_listing_match m
  join listings l on l.id = m.id
  where m.state <> 'unchanged' and l.status <> 'OFF_MARKET' and l.location is not null and l.lot_acres > 0
),
sized as (
  select count(*) <= $1 as few from moved
)
insert into valuations_dirty (fips, location, acres)
select null, moved.location, moved.acres
from moved
cross join sized
where sized.few
union all
select 0, null, null
from sized
where not sized.few
