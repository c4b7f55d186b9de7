-- Geometry features that share a key, in the order of the file: the parts of one parcel. `identical` says of each
-- whether the attributes that came with it repeat those of the first; null where they were kept or there are none.
-- Returns: input, fips, key, row_nos bigint[], identical boolean[], hashes text[], acres double precision[], boundaries bytea[]
select
  s.input, s.fips, s.key,
  array_agg(s.row_no order by s.row_no) as row_nos,
  array_agg(r.identical order by s.row_no) as identical,
  array_agg(s.hash::text order by s.row_no) as hashes,
  array_agg(s.calculated_acres order by s.row_no) as acres,
  array_agg(s.boundary order by s.row_no) as boundaries
from stage_shape s
join (
  select fips, key
  from stage_shape
  group by fips, key
  having count(*) > 1
) split using (fips, key)
left join stage_removed r on r.input = s.input and r.row_no = s.row_no
group by s.input, s.fips, s.key
order by s.fips, s.key
