-- Adds to the history of every listing whose status or price this run changed, first sight included.
-- $1 run id bigint
insert into listing_events (listing_id, run_id, status, price, status_date)
select s.id, $1, s.status, s.price, case when s.status = 'SOLD' then coalesce(s.sold_date, s.status_date) else s.status_date end
from stage_listing s
join stage_listing_match m on m.id = s.id
where m.event
on conflict (listing_id, run_id) do update
set status = excluded.status, price = excluded.price, status_date = excluded.status_date, recorded_at = excluded.recorded_at
