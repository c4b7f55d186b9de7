-- name: create_listing_stage
-- Creates the staging table for a run's listings in the run's schema. The table is unlogged and is filled
-- once by COPY. Fragment: columns (of a comp)
create unlogged table stage_listing as
select null::bigint as row_no, null::uuid as hash, id, {{columns}}
from listings
with no data

-- name: drop_overwritten_prices
-- Removes the list prices from sources that overwrite them with the sale price. In such a source, the two
-- prices are equal in every sale. `least`: number of sales required
update stage_listing s
set asked_price = null
from (
  select source
  from stage_listing
  where status = 'SOLD' and asked_price > 0
  group by source
  having count(*) >= :least and bool_and(asked_price = price)
) overwritten
where s.source = overwritten.source and s.status = 'SOLD' and s.asked_price > 0

-- name: keep_asked_prices
-- Takes the last list price of a sale from the stored listing if the source doesn't state one.
update stage_listing s
set asked_price = case when l.status in ('ACTIVE', 'PENDING') and l.price > 0 then l.price else l.asked_price end
from listings l
where l.id = s.id and s.status = 'SOLD' and coalesce(s.asked_price, 0) = 0
  and (l.asked_price > 0 or l.status in ('ACTIVE', 'PENDING') and l.price > 0)

-- name: mark_touched_regions
-- Marks the regions of the run's new, changed, and withdrawn listings, at their new and old locations. All
-- merges use the same order, to prevent deadlocks.
insert into stats_dirty (type, code)
select distinct r.type, r.code
from stage_listing_match m
left join stage_listing s on s.id = m.id
cross join lateral (
  values
    ('county', lpad(s.fips::text, 5, '0')), ('zip', s.zip),
    ('county', lpad(m.old_fips::text, 5, '0')), ('zip', m.old_zip)
) as touched (type, code)
join regions r on r.type = touched.type and r.code = touched.code
where m.state <> 'unchanged'
order by r.type, r.code
on conflict (type, code) do update set marked_at = clock_timestamp()

-- name: match_gone_listings
-- Adds listings that a complete feed no longer has to the merge.
insert into stage_listing_match (id, old_status, old_fips, old_zip, state, event)
select l.id, l.status, l.fips, l.zip, 'gone', true
from listings l
where l.feed_id = :feed_id
  and l.status in ('ACTIVE', 'PENDING')
  and not exists (select from stage_listing s where s.id = l.id)

-- name: match_listings
-- Determines what the merge does with every listing in the run, with its previous status and location.
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

-- name: measure_sales
-- How many comps the run adds, changes, or retires, how many its feed has, and how many of these are retired.
-- A sale of several parcels that was never stored doesn't count as a change, so that it doesn't cause a
-- merge. `label`: label of the source.
select
  count(*) filter (
    where m.state <> 'unchanged' and (s.status <> 'OFF_MARKET' or coalesce(m.old_status, 'OFF_MARKET') <> 'OFF_MARKET')
  )::int as touched,
  (select count(*)::int from listings where feed_id = :feed_id and source = :label and status = 'SOLD') as before,
  count(*) filter (where m.old_status = 'SOLD' and s.status = 'OFF_MARKET')::int as leaving
from stage_listing_match m
join stage_listing s on s.id = m.id

-- name: record_listing_events
-- Adds an event to the history of every listing that is new or whose status or price changed in this run.
insert into listing_events (listing_id, run_id, status, price, status_date)
select s.id, :run_id, s.status, s.price, case when s.status = 'SOLD' then coalesce(s.sold_date, s.status_date) else s.status_date end
from stage_listing s
join stage_listing_match m on m.id = s.id
where m.event
on conflict (listing_id, run_id) do update
set status = excluded.status, price = excluded.price, status_date = excluded.status_date, recorded_at = excluded.recorded_at

-- name: split_repeat_sales
-- If sales share an id but differ in date or price, gives each its own id. A sale that is already stored
-- keeps its id.
with sales as (
  select
    s.ctid as place, s.id, s.sold_date, s.price, s.source_id || '/' || s.sold_date || '/' || s.price as own_source_id,
    md5(s.id::text || '/' || s.sold_date || '/' || s.price)::uuid as own_id,
    min(s.sold_date) over same_id < max(s.sold_date) over same_id
      or min(s.price) over same_id < max(s.price) over same_id as repeats
  from stage_listing s
  where s.status = 'SOLD' and s.sold_date is not null
  window same_id as (partition by s.id)
)
update stage_listing s
set id = sales.own_id, source_id = sales.own_source_id
from sales
left join listings plain on plain.id = sales.id
left join listings own on own.id = sales.own_id
where s.ctid = sales.place
  and (
    own.id is not null
    or sales.repeats and (plain.sold_date, plain.price) is distinct from (sales.sold_date, sales.price)
  )

-- name: resolve_listing_duplicates
-- Resolves repeated rows for the same listing in a run. Keeps the newest status, by its date and then by its
-- position in the file. Identical rows are dropped, and older states are rejected with their raw text.
-- `most`: rejects stored per reason
with repeated as (
  select id
  from stage_listing
  group by id
  having count(*) > 1
),
ranked as (
  select
    l.ctid as place,
    row_number() over same_listing as n,
    first_value(l.hash) over same_listing as kept_hash,
    first_value(l.row_no) over same_listing as kept_row
  from stage_listing l
  join repeated using (id)
  window same_listing as (partition by l.id order by l.status_date desc nulls last, l.row_no desc)
),
removed as (
  delete from stage_listing s
  using ranked
  where s.ctid = ranked.place and ranked.n > 1
  returning s.row_no, s.source_id, s.hash = ranked.kept_hash as identical, ranked.kept_row
),
set_aside as (
  insert into run_rejects (run_id, input, row_no, field, reason, message, raw)
  select
    :run_id, 'listings', d.row_no, 'source_id', 'superseded',
    format('Row %2$s has the same listing, %1$s, with a newer state.', d.source_id, d.kept_row),
    coalesce(raw.raw, '')
  from removed d
  left join stage_raw raw on raw.row_no = d.row_no
  where not d.identical
  order by d.row_no
  limit :most
)
select
  (select count(*)::int from removed where identical) as identical,
  (select count(*)::int from removed where not identical) as superseded

-- name: retire_listings
-- Retires listings that a complete feed no longer has. Their history is kept.
with gone as (
  update listings l
  -- A random hash that no row matches, so that a listing that returns is treated as changed.
  set status = 'OFF_MARKET', changed_run = :run_id, row_hash = gen_random_uuid()
  from stage_listing_match m
  where m.state = 'gone' and l.id = m.id
  returning l.id, l.price
)
insert into listing_events (listing_id, run_id, status, price)
select id, :run_id, 'OFF_MARKET', price
from gone

-- name: upsert_listings
-- Writes new and changed listings. Fragments: columns, staged, and assigned (of a comp)
insert into listings (id, feed_id, row_hash, created_run, changed_run, {{columns}})
select s.id, :feed_id, s.hash, :run_id, :run_id, {{staged}}
from stage_listing s
join stage_listing_match m on m.id = s.id
where m.state <> 'unchanged'
on conflict (id) do update
set feed_id = excluded.feed_id, row_hash = excluded.row_hash, changed_run = excluded.changed_run, {{assigned}}
