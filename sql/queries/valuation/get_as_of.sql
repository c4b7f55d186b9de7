-- The day as of which parcels are valued when nobody names one: today in UTC, unless all sales and listings come from
-- snapshots; then the day of the latest snapshot.
select to_char(
  case when bool_and(f.as_of is not null) then max(f.as_of) else (now() at time zone 'UTC')::date end, 'YYYY-MM-DD'
) as day
from feeds f
where exists (select from listings l where l.feed_id = f.id)
