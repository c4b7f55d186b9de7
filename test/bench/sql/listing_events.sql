-- Every state of the generated listings, starting with its first day, as a feed would have reported it over
-- the years.
insert into listing_events (listing_id, run_id, status, price, status_date, recorded_at)
select l.id, e.run_id, e.status, e.price, e.day, e.day
from listings l
cross join lateral (
  values
    (1, 'ACTIVE', case l.status when 'SOLD' then coalesce(l.asked_price, round(l.price * 1.1)) else l.price end, l.listed_date),
    (2, l.status, l.price, l.status_date)
) as e (run_id, status, price, day)
where e.run_id = 1 or l.status <> 'ACTIVE'
