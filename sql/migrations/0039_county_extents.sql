-- The day of a county's valuations, which coverage tells without reading them; and where its parcels are, boundaries included, so that a
-- shape is looked for in these counties alone. By way of temporary tables, as the parcels may lie on other servers.
create temporary table valued on commit drop as
select fips, min(as_of) as as_of
from valuations
group by fips;

alter table valuation_counties add column as_of date;

update valuation_counties c set as_of = v.as_of
from valued v
where v.fips = c.fips;

create temporary table extents on commit drop as
select fips, min(least(location[0], (extent[1])[0])) / 1e7 as west, min(least(location[1], (extent[1])[1])) / 1e7 as south,
  max(greatest(location[0], (extent[0])[0])) / 1e7 as east, max(greatest(location[1], (extent[0])[1])) / 1e7 as north
from parcel_filters
group by fips;

update county_coverage c set west = e.west, south = e.south, east = e.east, north = e.north
from extents e
where e.fips = c.fips;
