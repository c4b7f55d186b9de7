-- The extent of a run's points by county, in degrees, and how many lie outside the box that is given for it.
-- $1 fips int[], $2..$5 min lon, min lat, max lon, max lat double precision[] of the counties (margin included)
-- Returns: fips, points, outside, min_lon, min_lat, max_lon, max_lat
select
  s.fips,
  count(*)::int as points,
  count(*) filter (
    where s.location[0] / 1e7 not between c.min_lon and c.max_lon
      or s.location[1] / 1e7 not between c.min_lat and c.max_lat
  )::int as outside,
  min(s.location[0]) / 1e7 as min_lon,
  min(s.location[1]) / 1e7 as min_lat,
  max(s.location[0]) / 1e7 as max_lon,
  max(s.location[1]) / 1e7 as max_lat
from stage_shape s
join unnest($1::int[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) as c (fips, min_lon, min_lat, max_lon, max_lat)
  on c.fips = s.fips
group by s.fips
