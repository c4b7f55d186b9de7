-- The parcels of a county that changed comps can reach: those whose valuation a comp of that place and size could have
-- changed, and those without a valuation within the county's farthest reach; and some besides. Rows of the arrays of comps
-- belong together.
-- $1 lon, $2 lat float8[] of comps, integers of 1e-7 degree, $3 their acres float8[], $4 county FIPS int, $5 ids of the parcels
-- besides bigint[]
-- Returns: id, lon, lat (integers of 1e-7 degree), acres, and what is known of the land
with reached as (
  select f.property_id
  from unnest($1::float8[], $2::float8[], $3::float8[]) as c (lon, lat, acres)
  join valuation_counties k on k.fips = $4
  cross join lateral (
    -- A degree of latitude has at least 110,574 m (WGS84, at the equator).
    select k.reach_m * 1e7 / 110574 as north, k.reach_m * 1e7 / 110574 / cosd(least(85, abs(c.lat) / 1e7 + 5)) as east
  ) as half
  join parcel_filters f
    on f.fips = $4
    and f.location <@ box(point(c.lon - half.east, c.lat - half.north), point(c.lon + half.east, c.lat + half.north))
  cross join lateral (
    -- On a sphere, less 1 %: nothing may be missed.
    select 0.99 * 2 * 6371008.8 * asin(least(1, sqrt(
      sind((f.location[1] - c.lat) / 2e7) ^ 2
      + cosd(c.lat / 1e7) * cosd(f.location[1] / 1e7) * sind((f.location[0] - c.lon) / 2e7) ^ 2
    ))) as metres
  ) as away
  left join valuations v on v.fips = $4 and v.property_id = f.property_id
  where f.effective_acres > 0
    and (
      v.property_id is null
      or away.metres <= v.level_reach_m
      or away.metres / v.reach_m + 0.99 * abs(ln(c.acres / f.effective_acres)) / v.reach_log_acres <= 1
    )
  union
  select unnest($5::bigint[])
)
select
  f.property_id as id, f.location[0] as lon, f.location[1] as lat, f.effective_acres as acres,
  f.steeper_percent[6]::float8 as "steepPercent",
  (f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft)::float8 as "frontageFt",
  f.flood_zone_percent::float8 as "floodPercent", f.wetlands_percent::float8 as "wetlandsPercent"
from reached r
join parcel_filters f on f.fips = $4 and f.property_id = r.property_id
where f.location is not null and f.effective_acres > 0
