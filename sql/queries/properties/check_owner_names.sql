-- Of these parcels of a county, those whose primary owner's name matches every pattern.
-- $1 fips int, $2 property ids bigint[], $3 LIKE patterns text[]
select coalesce(string_agg(int4send((p.property_id - p.fips * 100000000::bigint)::int), ''), '') as serials, false as is_bitmap
from parcels p
where p.fips = $1::int
  and p.property_id = any ($2::bigint[])
  and upper(p.owner_name) like all (array(select upper(pattern) from unnest($3::text[]) pattern))
