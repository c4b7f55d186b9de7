-- Marks counties whose parcels changed, where there are comps to value them with.
-- $1 FIPS int[]
insert into valuations_dirty (fips)
select unnest($1::int[])
where exists (select from listings)
