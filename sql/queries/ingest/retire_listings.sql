-- Takes listings out of the inventory that a feed which lists everything no longer shows. They keep their history.
-- $1 run id bigint
with gone as (
  update listings l
  -- Another hash than any row has: a listing that returns counts as changed.
  set status = 'OFF_MARKET', changed_run = $1, row_hash = gen_random_uuid()
  from stage_listing_match m
  where m.state = 'gone' and l.id = m.id
  returning l.id, l.price
)
insert into listing_events (listing_id, run_id, status, price)
select id, $1, 'OFF_MARKET', price
from gone
