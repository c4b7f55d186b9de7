-- Replaces the statistics of regions. A body whose etag stays is left where it is stored.
-- $1 types, $2 codes, $3 etags, $4 days as of which, $5 numbers of listings, $6 and $7 where each body begins (from 1) and how
-- long it is in $8, all bodies in one.
update region_stats s
set body = case when s.etag = b.etag then s.body else substring($8::bytea from b.start for b.length) end,
    etag = b.etag,
    as_of = b.as_of,
    listings = b.listings,
    computed_at = clock_timestamp()
from unnest($1::text[], $2::text[], $3::text[], $4::date[], $5::int[], $6::int[], $7::int[])
  as b (type, code, etag, as_of, listings, start, length)
where s.type = b.type and s.code = b.code;
