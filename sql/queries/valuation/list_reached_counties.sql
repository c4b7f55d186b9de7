-- The counties some of whose valuations could depend on comps at these places.
-- $1 lon, $2 lat float8[], integers of 1e-7 degree
select distinct c.fips
from unnest($1::float8[], $2::float8[]) as p (lon, lat)
cross join valuation_counties c
cross join lateral (
  -- A degree of latitude has at least 110,574 m (WGS84, at the equator).
  select c.reach_m * 1e7 / 110574 as north, c.reach_m * 1e7 / 110574 / cosd(least(85, abs(p.lat) / 1e7 + 5)) as east
) as half
where c.extent && box(point(p.lon - half.east, p.lat - half.north), point(p.lon + half.east, p.lat + half.north))
order by c.fips
