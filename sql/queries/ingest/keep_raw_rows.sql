-- Keeps the raw text of rows whose key had been seen before, in case they are rejected as duplicates.
-- $1 row numbers bigint[], $2 texts text[]
insert into stage_raw (row_no, raw)
select *
from unnest($1::bigint[], $2::text[])
