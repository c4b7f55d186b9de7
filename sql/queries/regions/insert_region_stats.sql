-- Gives a region the response that it has until its first statistics; one that has a row keeps it.
-- $1 types, $2 codes, $3 etags, $4 and $5 where each body begins (from 1) and how long it is in $6, all bodies in one.
insert into region_stats (type, code, etag, body)
select b.type, b.code, b.etag, substring($6::bytea from b.start for b.length)
from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[]) as b (type, code, etag, start, length)
on conflict (type, code) do nothing;
