-- Stored responses of regions, as bytes. $1 types, $2 codes
select type, code, etag, body
from region_stats
join unnest($1::text[], $2::text[]) as asked (type, code) using (type, code);
