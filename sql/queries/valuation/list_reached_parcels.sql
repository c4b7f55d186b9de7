-- The parcels of a county in some boxes that changed comps can reach: those whose valuation a comp of that place and size could
-- have changed, and those without a valuation; and some besides. Rows of the arrays belong together: a comp, and a box that it
-- can reach.
-- $1 county FIPS int, $2 lon, $3 lat float8[] of comps, $4 their acres float8[], $5 west, $6 south, $7 east, $8 north float8[] of
-- boxes, $9 ids of the parcels besides bigint[]; places in integers of 1e-7 degree
-- Returns: id, lon, lat (integers of 1e-7 degree), acres, what is known of the land, and how far away a comp could be that
-- changes the valuation (reachM, null without one)
with changed as materialized (
  select
    lon, lat, acres, box(point(west, south), point(east, north)) as near,
    -- Metres of an integer on a sphere of 6,371,008.8 m, as short as anywhere in the box, less 1 %: nothing may be missed.
    0.99::float8 * 0.01111949 as north_m,
    0.99::float8 * 0.01111949 * cosd(greatest(abs(lat), abs(south), abs(north)) / 1e7) as east_m
  from unnest($2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[])
    as c (lon, lat, acres, west, south, east, north)
)
select
  f.property_id as id, f.location[0] as lon, f.location[1] as lat, f.effective_acres as acres,
  f.steeper_percent[6]::float8 as "steepPercent",
  (f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft)::float8 as "frontageFt",
  f.flood_zone_percent::float8 as "floodPercent", f.wetlands_percent::float8 as "wetlandsPercent",
  greatest(v.reach_m, v.level_reach_m)::float8 as "reachM"
from changed c
join parcel_filters f on f.fips = $1 and f.location <@ c.near
cross join lateral (
  select sqrt(((f.location[0] - c.lon) * c.east_m) ^ 2 + ((f.location[1] - c.lat) * c.north_m) ^ 2) as metres
) as away
left join valuations v on v.fips = $1 and v.property_id = f.property_id
where f.effective_acres > 0
  and (
    v.property_id is null
    or away.metres <= v.level_reach_m
    or away.metres * v.reach_log_acres + 0.99 * abs(ln(c.acres / f.effective_acres)) * v.reach_m
      <= v.reach_m * v.reach_log_acres
  )
union
select
  f.property_id, f.location[0], f.location[1], f.effective_acres, f.steeper_percent[6],
  f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft, f.flood_zone_percent, f.wetlands_percent,
  greatest(v.reach_m, v.level_reach_m)
from parcel_filters f
left join valuations v on v.fips = $1 and v.property_id = f.property_id
where f.fips = $1 and f.property_id = any ($9::bigint[]) and f.location is not null and f.effective_acres > 0
