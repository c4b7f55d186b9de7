-- name: clear_dirty_regions
-- Takes back the marks of regions whose statistics are written in the same transaction. One that was set
-- again since it was read stays: its listings changed after they had been read. `marked_at`: moments of the
-- marks as they were read.
delete from stats_dirty d
using unnest(:types::text[], :codes::text[], :marked_at::timestamptz[]) as m (type, code, marked_at)
where d.type = m.type and d.code = m.code and d.marked_at <= m.marked_at;

-- name: copy_listings
-- The listings that count in statistics. {{scope}}: which of them, a condition made of literals.
copy (select * from counted_listings where {{scope}}) to stdout (format binary);

-- name: get_dirty_state
-- Whether statistics are due, and whether a job that computes them is on its way.
select
  exists (select 1 from stats_dirty) as due,
  exists (select 1 from jobs where name = 'market.recompute' and status in ('queued', 'running')) as open

-- name: list_county_zips
-- The ZIPs of a county: those of its listings, and those that lie in it for the most part.
select r.code as zip
from regions r
where r.type = 'zip'
  and (r.fips = :fips or r.code in (select l.zip from listings l where l.fips = :fips));

-- name: list_dirty_regions
-- `known` is false for a region that is not in `regions`. The moment is text: a Date would
-- lose its microseconds.
select d.type, d.code, d.marked_at::text as marked_at, r.code is not null as known
from stats_dirty d
left join regions r using (type, code);

-- name: list_stored_stats
-- What is stored of regions but the bodies, counties first. `codes`: codes; both null for every region.
select r.id, r.type, r.code, r.name, r.state, r.county_name, r.fips, s.etag, s.as_of, s.listings
from regions r
join region_stats s using (type, code)
where :types::text[] is null
  or (r.type, r.code) in (select * from unnest(:types::text[], :codes::text[]))
order by r.type, r.code;

-- name: update_region_stats
-- Replaces the statistics of regions; a body whose etag stays is left where it is stored. `as_of_days`: days
-- as of which; `listing_counts`: numbers of listings; `bodies`: the bodies as one, a line each: an array
-- would be escaped twice on its way.
update region_stats s
set body = case when s.etag = b.etag then s.body else convert_to(b.body, 'UTF8') end,
    etag = b.etag,
    as_of = b.as_of,
    listings = b.listings,
    computed_at = clock_timestamp()
from unnest(:types::text[], :codes::text[], :etags::text[], :as_of_days::date[], :listing_counts::int[], string_to_array(:bodies, E'\n'))
  as b (type, code, etag, as_of, listings, body)
where s.type = b.type and s.code = b.code;
