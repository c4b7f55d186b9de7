-- name: delete_old
-- Deletes a batch of changes older than `days` days. Changes are in chronological order, so only the oldest
-- are checked. The newest change is kept, because a cursor beyond it means that the database was restored.
delete from changes
where seq in (
  select seq
  from (select seq, at from changes order by seq limit 10000) oldest
  where at < now() - :days * interval '1 day' and seq < (select max(seq) from changes)
)

-- name: get_head
-- The number of the last change, or 0 before the first.
select coalesce(max(seq), 0) as head from changes

-- name: list_changes
-- Returns a page of changes after a given number, all read in one snapshot and planned for the actual
-- parameter values. Returns up to `limit` + 1 changes. `head`: number of the newest change. `passed_at`: time
-- of the last change up to `after`. `scanned`: number of the last change scanned, if a scan for certain types
-- stopped early. Returns at least one row. Fragments: county (a condition), wanted (a condition on types),
-- filtered (whether there is a condition on types). `scan`: number of changes to scan.
with hits as materialized (
  select c.*
  from (
    select c.seq, c.type, c.at, c.run_id, c.fips, c.property_id, c.listing_id, c.zip, c.fields
    from changes c
    where c.seq > :after::bigint and {{county}}
    order by c.seq
    limit :scan::int
  ) c
  where {{wanted}}
  order by c.seq
  limit :limit::int + 1
)
select (select max(seq) from changes) as head,
  (select p.at from changes p where p.seq <= :after order by p.seq desc limit 1) as passed_at,
  e.scanned, e.scanned_at, h.*
from (select count(*) as hits from hits) n
left join lateral (
  select c.seq as scanned, c.at as scanned_at
  from changes c
  where n.hits <= :limit and c.seq > :after and {{county}}
  order by c.seq
  offset :scan - 1
  limit 1
) e on {{filtered}}
left join hits h on true
order by h.seq

-- name: list_recent
-- The newest changes. `fips`, `type`, and `since` may be null.
select seq, type, at, run_id, fips, property_id, listing_id, zip, fields
from changes
where (:fips::int is null or fips = :fips)
  and (:type::text is null or type = :type)
  and (:since::timestamptz is null or at >= :since)
order by seq desc
limit :limit

-- name: read_timeline
-- The history of a parcel, its value, and its listings, newest first.
select at, type, fields
from (
  select seq, at, type, fields from changes where property_id = :property_id::bigint
  union all
  select c.seq, c.at, c.type, c.fields
  from comp_land l
  join changes c on c.listing_id = l.listing_id
  where l.fips = :fips::int and l.property_id = :property_id
) known
order by seq desc
limit :limit
