-- Marks the places of the run's new, changed and gone comps, where they are and where they were, before they are written;
-- or the whole market, when they are many. What valuations do not look at may change unmarked.
-- $1 most places that are marked one by one int, $2 the share of all comps that they may be at most float8
with moved as (
  select
    s.location, s.lot_acres, s.status, l.location as old_location, l.lot_acres as old_lot_acres, l.status as old_status
  from stage_listing_match m
  left join stage_listing s on s.id = m.id
  left join listings l on l.id = m.id
  where m.state <> 'unchanged'
    and (l.status, l.price, l.lot_acres, l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips, l.apn)
      is distinct from
      (s.status, s.price, s.lot_acres, s.location[0], s.location[1], s.sold_date, s.listed_date, s.fips, s.apn)
),
places as (
  select location, lot_acres as acres
  from moved
  where status <> 'OFF_MARKET' and location is not null and lot_acres > 0
  union all
  select old_location, old_lot_acres
  from moved
  where old_status <> 'OFF_MARKET' and old_location is not null and old_lot_acres > 0
),
sized as (
  select (select count(*) from places) <= least(
    $1::int,
    $2::float8 * (
      select count(*) from (select from listings where status <> 'OFF_MARKET' limit ceil($1::int / $2::float8)::bigint) as kept
    )
  ) as few
)
insert into valuations_dirty (fips, location, acres)
select null, places.location, places.acres
from places
cross join sized
where sized.few
union all
select 0, null, null
from sized
where not sized.few
