-- name: clear_dirty_regions
-- Clears the marks of regions whose statistics are written in the same transaction. A mark that was set again
-- after it was read is kept, because the region's listings have changed since. `marked_at`: times of the
-- marks as read.
delete from stats_dirty d
using unnest(:types::text[], :codes::text[], :marked_at::timestamptz[]) as m (type, code, marked_at)
where d.type = m.type and d.code = m.code and d.marked_at <= m.marked_at;

-- name: copy_listings
-- The listings that count in statistics. {{scope}}: a condition that contains only literals.
copy (select * from counted_listings where {{scope}}) to stdout (format binary);

-- name: find_statistics_age
-- The time since which statistics are outdated, in seconds since 1970: the time of the last recompute of all
-- regions, or of the oldest change that is not included, whichever is earlier. Only jobs of the last 8 days
-- are searched for the recompute. If it isn't found, uses the start of the installation or 8 days ago,
-- whichever is later.
select extract(epoch from least(
  coalesce(
    (
      select max(finished_at) from jobs
      where name = 'market.daily' and status = 'done' and queued_at > now() - interval '8 days'
    ),
    greatest(now() - interval '8 days', (select min(applied_at) from schema_migrations))
  ),
  (select min(marked_at) from stats_dirty)
))::float8 as since

-- name: get_dirty_state
-- Whether statistics are due, and whether a job that computes them is open.
select
  exists (select 1 from stats_dirty) as due,
  exists (select 1 from jobs where name = 'market.recompute' and status in ('queued', 'running')) as open

-- name: list_county_zips
-- A county's ZIPs: those of its listings, and those that are mostly inside the county.
select r.code as zip
from regions r
where r.type = 'zip'
  and (r.fips = :fips or r.code in (select l.zip from listings l where l.fips = :fips));

-- name: list_dirty_regions
-- The marked regions. `known` is false for a region that is not in `regions`. The time is text, because a
-- Date would lose its microseconds.
select d.type, d.code, d.marked_at::text as marked_at, r.code is not null as known
from stats_dirty d
left join regions r using (type, code);

-- name: list_stored_stats
-- The regions' stored statistics without their bodies. Counties come first. `codes`: null for every region.
select r.id, r.type, r.code, r.name, r.state, r.county_name, r.fips, s.etag, s.as_of, s.listings, c.price_index
from regions r
join region_stats s using (type, code)
left join valuation_counties c on r.type = 'county' and c.fips = r.fips
where :types::text[] is null
  or (r.type, r.code) in (select * from unnest(:types::text[], :codes::text[]))
order by r.type, r.code;

-- name: mark_county
-- Marks a county's statistics for recomputation.
insert into stats_dirty (type, code)
select type, code from regions where type = 'county' and fips = :fips
on conflict (type, code) do update set marked_at = clock_timestamp();

-- name: read_region_stats
-- Stored responses of regions, as bytes.
select type, code, etag, body
from region_stats
join unnest(:types::text[], :codes::text[]) as asked (type, code) using (type, code);

-- name: update_region_stats
-- Replaces the statistics of regions. A body with the same etag is not rewritten. `as_of_days`,
-- `listing_counts`: per region. `bodies`, `figures` (in base64): each is a single string with one value per
-- line, because an array would be escaped twice.
update region_stats s
set body = case when s.etag = b.etag then s.body else convert_to(b.body, 'UTF8') end,
    figures = case when s.etag = b.etag then s.figures else decode(b.figures, 'base64') end,
    etag = b.etag,
    as_of = b.as_of,
    listings = b.listings,
    computed_at = clock_timestamp()
from unnest(:types::text[], :codes::text[], :etags::text[], :as_of_days::date[], :listing_counts::int[], string_to_array(:bodies, E'\n'), string_to_array(:figures, E'\n'))
  as b (type, code, etag, as_of, listings, body, figures)
where s.type = b.type and s.code = b.code;
