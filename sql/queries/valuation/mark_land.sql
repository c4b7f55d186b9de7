-- Marks parcels of a county whose land is known to be other than it was, or the county, when they are many.
-- $1 county FIPS int, $2 property ids bigint[], $3 most parcels that are marked one by one int
insert into valuations_dirty (fips, land_of)
select $1::int, property_id
from unnest($2::bigint[]) as property_id
where cardinality($2::bigint[]) <= $3::int
union all
select $1, 0
where cardinality($2::bigint[]) > $3::int
  and not exists (select from valuations_dirty where fips = $1 and land_of = 0)
