-- Takes listings out of the inventory that a feed which lists everything no longer shows. They keep their history,
-- and their regions' statistics are due.
-- $1 run id bigint, $2 feed id int
-- Returns: retired
with gone as (
  update listings l
  set status = 'OFF_MARKET', changed_run = $1, row_hash = gen_random_uuid()
  where l.feed_id = $2
    and l.status in ('ACTIVE', 'PENDING')
    and not exists (select from stage_listing_match m where m.id = l.id)
  returning l.id, l.price, l.fips, l.zip
),
history as (
  insert into listing_events (listing_id, run_id, status, price)
  select id, $1, 'OFF_MARKET', price
  from gone
  on conflict (listing_id, run_id) do nothing
),
touched as (
  insert into stats_dirty (type, code)
  select r.type, r.code
  from regions r
  join (
    select 'county' as type, lpad(fips::text, 5, '0') as code from gone
    union
    select 'zip', zip from gone
  ) g using (type, code)
  on conflict (type, code) do update set marked_at = clock_timestamp()
)
select count(*)::int as retired
from gone
