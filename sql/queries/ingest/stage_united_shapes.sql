-- The united boundaries of parcels that came in parts.
-- $1 inputs smallint[], $2 row numbers of the first parts bigint[], $3 fips int[], $4 keys text[], $5 hashes uuid[],
-- $6 locations text[], $7 extents text[], $8 acres double precision[], $9 boundaries bytea[]
insert into stage_united (input, row_no, fips, key, hash, location, extent, calculated_acres, boundary)
select u.input, u.row_no, u.fips, u.key, u.hash, u.location::point, u.extent::box, u.acres, u.boundary
from unnest($1::smallint[], $2::bigint[], $3::int[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::float8[], $9::bytea[])
  as u (input, row_no, fips, key, hash, location, extent, acres, boundary)
