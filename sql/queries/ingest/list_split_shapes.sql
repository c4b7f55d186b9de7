-- Geometry features that share a key, in the order of the file: the parts of one parcel.
-- Returns: fips, key, row_nos bigint[], acres double precision[], boundaries bytea[]
select
  fips, key,
  array_agg(row_no order by row_no) as row_nos,
  array_agg(calculated_acres order by row_no) as acres,
  array_agg(boundary order by row_no) as boundaries
from stage_shape
group by fips, key
having count(*) > 1
order by fips, key
