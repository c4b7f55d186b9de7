-- name: keep_listings
-- Stores the listings that a merge is about to change.
insert into undo_listings (run_id, listing_id, was)
select :run_id, l.id, to_jsonb(l)
from stage_listing_match m
join listings l on l.id = m.id
where m.state <> 'unchanged'

-- name: stage_kept_listings
-- Stages listings as they were before a run. Fragment: columns (of a comp)
insert into stage_listing (row_no, id, hash, {{columns}})
select 0, w.id, w.row_hash, {{columns}}
from undo_listings u
cross join lateral jsonb_populate_record(null::listings, u.was) w
where u.run_id = :run_id

-- name: stage_added_listings
-- Stages the listings that a run added, so that they leave the market. Fragment: columns (of a comp)
insert into stage_listing (row_no, id, hash, {{columns}})
select 0, id, row_hash, {{columns}}
from listings
where created_run = :run_id

-- name: stage_leaving_listings
-- Marks the listings that the run added as off the market. No row matches their new digest, so a listing that
-- returns is treated as changed.
update stage_listing s
set status = 'OFF_MARKET', sale_type = '', hash = gen_random_uuid()
from listings l
where l.id = s.id and l.created_run = :run_id

-- name: forget_listing_events
-- Removes a run's events from the history of its listings.
delete from listing_events e
using stage_listing s
where e.listing_id = s.id and e.run_id = :run_id

-- name: leave_out_events
-- Keeps the changes that an undo makes out of the listings' history.
update stage_listing_match set event = false

-- name: give_back_listings
-- Returns listings to the feeds that had them.
update listings l
set feed_id = (u.was ->> 'feed_id')::int
from undo_listings u
where u.run_id = :run_id and l.id = u.listing_id and l.feed_id <> (u.was ->> 'feed_id')::int
