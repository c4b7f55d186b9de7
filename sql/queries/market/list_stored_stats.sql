-- Regions and what is stored of their statistics, the bodies left out; counties first, then ZIPs.
-- $1 types, $2 codes: arrays of one length; both null for every region.
select r.id, r.type, r.code, r.name, r.state, r.county_name, r.fips, s.etag, s.as_of, s.listings
from regions r
join region_stats s using (type, code)
where $1::text[] is null
  or (r.type, r.code) in (select * from unnest($1::text[], $2::text[]))
order by r.type, r.code;
