-- Remembers where the parcels of a county are that were valued, and how far away a comp can be that matters to them.
-- $1 county FIPS int, $2 west, $3 south, $4 east, $5 north float8 (integers of 1e-7 degree), $6 metres of the farthest float8,
-- $7 of each cell of the county, packed bytea
insert into valuation_counties (fips, extent, reach_m, reaches)
values ($1, box(point($2::float8, $3::float8), point($4::float8, $5::float8)), $6, $7)
on conflict (fips) do update
set extent = excluded.extent, reach_m = excluded.reach_m, reaches = excluded.reaches
