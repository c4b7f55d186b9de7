-- name: create_pending
-- The changes of a transaction so far. record_pending numbers them.
create temporary table pending_changes (
  type text not null, fips int, property_id bigint, listing_id uuid, zip text, fields jsonb not null,
  -- Set only for parcel changes.
  row_version bigint
) on commit drop

-- name: draw_version
-- Returns the next row_version, for all parcels that a transaction changes. Run this while no one else can
-- write these parcels, so that a parcel's number increases with each change.
select nextval('row_version') as version

-- name: record_versions
-- Records the order in which the parcels' row_versions are committed. Run this after lock_changes.
insert into row_versions (version, at)
select row_version, statement_timestamp()
from pending_changes
where row_version is not null
group by row_version
order by row_version

-- name: lock_changes
-- Prevents other transactions from numbering changes until this one has ended and its changes are visible.
-- Locks nothing if there are no pending changes. `lock`: the lock's number.
select pg_advisory_xact_lock(:lock::int)
from pending_changes
limit 1

-- name: record_pending
-- Numbers the changes of the transaction. `run_id` may be null.
insert into changes (at, type, run_id, fips, property_id, listing_id, zip, fields)
select statement_timestamp(), type, :run_id::bigint, fips, property_id, listing_id, zip, fields
from pending_changes

-- name: stage_loaded_counties
-- Adds one change for each county whose first parcels come from this run. Run this after reserve_serials,
-- which makes a county's second feed wait and see the serials of the first.
insert into pending_changes (type, fips, fields, row_version)
select 'county.loaded', n.fips, jsonb_build_object('parcels', jsonb_build_array(0, n.parcels)), :version::bigint
from (select fips, count(*) as parcels from stage_match where state = 'new' group by fips) n
join county_serials c on c.fips = n.fips and c.last_serial = n.parcels
returning fips

-- name: stage_parcel_changes
-- Adds changes to known parcels. Run before the merge writes them. A parcel that differs only in its digest
-- has not changed. Fragments: differing (a string for each field that differs), version, fips (the counties
-- that change, as a literal).
insert into pending_changes (type, fips, property_id, fields, row_version)
select
  'parcel.' || d.state, d.fips, d.property_id,
  case
    when d.state = 'retired' then '{}'
    else d.fields::jsonb || jsonb_build_object('row_version', jsonb_build_array(d.row_version, {{version}}))
  end,
  {{version}}
from (
  select
    m.state, m.fips, m.property_id, p.row_version,
    case when m.state = 'retired' then '{}' else '{' || concat_ws(',', {{differing}}) || '}' end as fields
  from stage_match m
  join parcels p on p.fips = m.fips and p.property_id = m.property_id
  left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
  left join stage_roll r on r.fips = m.fips and r.key = m.key
  left join stage_shape s on s.fips = m.fips and s.key = m.key
  where m.state in ('changed', 'returned', 'retired') and p.fips = any ({{fips}}::int[])
  -- offset 0 makes PostgreSQL compute the fields once, not again for the condition.
  offset 0
) d
where d.state <> 'changed' or d.fields <> '{}'

-- name: stage_new_parcels
-- Adds new parcels in counties that already had some. Fragments: added (a string for each field), loaded (the
-- other counties, as a literal).
insert into pending_changes (type, fips, property_id, fields, row_version)
select
  'parcel.new', w.fips, w.property_id,
  ('{' || concat_ws(',', '"row_version":' || json_build_array(null, w.row_version), {{added}}) || '}')::jsonb, w.row_version
from stage_write w
left join stage_roll r on r.ctid = w.roll_at
left join stage_shape s on s.ctid = w.shape_at
where w.state = 'new' and w.fips <> all ({{loaded}}::int[])

-- name: stage_listing_changes
-- Adds changes to listings: whether they are on the market, sold, or neither, and their fields. Run before
-- the merge writes them. Fragment: differing (a string for each field that differs).
insert into pending_changes (type, fips, listing_id, fields)
select d.type, coalesce(s.fips, l.fips), m.id, d.fields::jsonb
from stage_listing_match m
left join stage_listing s on s.id = m.id
left join listings l on l.id = m.id
cross join lateral (
  select
    case
      when s.status <> 'OFF_MARKET' and coalesce(l.status, 'OFF_MARKET') = 'OFF_MARKET' then 'listing.new'
      when s.status <> 'OFF_MARKET' then 'listing.changed'
      when l.status <> 'OFF_MARKET' then 'listing.gone'
    end as type
) t
cross join lateral (
  select
    t.type,
    case
      when t.type = 'listing.gone' then json_build_object('status', json_build_array(l.status, 'OFF_MARKET'))::text
      else '{' || concat_ws(',', {{differing}}) || '}'
    end as fields
) d
where m.state <> 'unchanged' and t.type is not null and d.fields <> '{}'

-- name: fold_loaded_listings
-- Replaces a county's new listings with one county.loaded change if the county had no listings before, or if
-- its parcels are new too.
with touched as (
  select fips, count(*) as listings
  from pending_changes
  where type = 'listing.new' and fips is not null
  group by fips
),
loaded as (
  select t.fips, t.listings, c.fips is not null as told
  from touched t
  left join pending_changes c on c.type = 'county.loaded' and c.fips = t.fips
  where c.fips is not null
    or not exists (select true from listings l where l.fips = t.fips and l.status <> 'OFF_MARKET')
),
added as (
  update pending_changes c
  set fields = c.fields || jsonb_build_object('listings', jsonb_build_array(0, l.listings))
  from loaded l
  where c.type = 'county.loaded' and c.fips = l.fips
),
folded as (
  delete from pending_changes c using loaded l where c.type = 'listing.new' and c.fips = l.fips
)
insert into pending_changes (type, fips, fields)
select 'county.loaded', fips, jsonb_build_object('listings', jsonb_build_array(0, listings))
from loaded
where not told

-- name: keep_valuations
-- Estimated values of a county's parcels before they are recalculated. Fragment: fips.
create temporary table valuations_before on commit drop as
select property_id, mean_adjusted_price, model_version
from valuations
where fips = {{fips}}

-- name: stage_moved_valuations
-- The parcels whose estimate moved by more than `share`. Fragments: fips, share.
insert into pending_changes (type, fips, property_id, fields)
select
  'valuation.moved', v.fips, v.property_id,
  jsonb_build_object('mean_adjusted_price', jsonb_build_array(v.was, v.is))
    || case
      when v.model_was <> v.model_is then jsonb_build_object('model_version', jsonb_build_array(v.model_was, v.model_is))
      else '{}'
    end
from (
  select
    now.fips, now.property_id, before.model_version as model_was, now.model_version as model_is,
    floor(before.mean_adjusted_price * 100 + 0.5) / 100 as was, floor(now.mean_adjusted_price * 100 + 0.5) / 100 as is
  from valuations now
  join valuations_before before on before.property_id = now.property_id
  where now.fips = {{fips}}
) v
where v.was > 0 and abs(v.is / v.was - 1) > {{share}}

-- name: stage_stats_changes
-- Adds the regions of a batch whose figures differ from the stored ones. Run before the stored ones are
-- replaced. New regions are not reported figure by figure. The price index is not reported, because it moves
-- with every fit. The parameters are those of update_region_stats.
insert into pending_changes (type, fips, zip, fields)
select 'stats.written', g.fips, case b.type when 'zip' then b.code end, d.fields
from unnest(:types::text[], :codes::text[], string_to_array(:bodies, E'\n')) as b (type, code, body)
join region_stats s on s.type = b.type and s.code = b.code
join regions g on g.type = b.type and g.code = b.code
cross join lateral (select convert_from(s.body, 'UTF8') as body) was
cross join lateral (
  select case
    when right(was.body, 11) = '"stats":[]}'
      then jsonb_build_object('as_of', jsonb_build_array(null, substring(b.body from '"as_of":"([^"]*)"')))
    else (
      select jsonb_object_agg(coalesce(o.bucket, n.bucket) || ' / ' || f.key, jsonb_build_array(f.was, f.is))
      from (
        select e ->> 'type' as bucket, (e -> 'data') || (coalesce(e -> 'more', '{}') - '{price_index,price_index_low,price_index_high}'::text[])
          || (e - '{type,data,more}'::text[]) as figures
        from jsonb_array_elements(was.body::jsonb -> 'stats') e
      ) o
      full join (
        select e ->> 'type' as bucket, (e -> 'data') || (coalesce(e -> 'more', '{}') - '{price_index,price_index_low,price_index_high}'::text[])
          || (e - '{type,data,more}'::text[]) as figures
        from jsonb_array_elements(b.body::jsonb -> 'stats') e
      ) n on n.bucket = o.bucket
      cross join lateral (
        select key, fo.value as was, fn.value as is
        from jsonb_each(o.figures) fo
        full join jsonb_each(n.figures) fn using (key)
      ) f
      where o.figures is distinct from n.figures and coalesce(f.was, 'null') <> coalesce(f.is, 'null')
    )
  end as fields
) d
where b.body <> '' and d.fields is not null
  -- Compares only the statistics, not the text that precedes them, so that equal statistics aren't parsed as
  -- JSON.
  and substring(was.body from position('"stats":' in was.body)) <> substring(b.body from position('"stats":' in b.body))
