-- Marks counties that are to be valued as a whole.
-- $1 FIPS int[]
insert into valuations_dirty (fips)
select unnest($1::int[])
