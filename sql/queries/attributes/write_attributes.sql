-- Stores what was computed of a chunk's parcels and takes back their marks; of a parcel that was marked again or is no
-- longer the chunk's, nothing is stored. Columns of kinds that were not computed stay as they are; the mark of a kind
-- that could not be computed stays too.
-- $1 fips int, $2 chunk bigint, $3 the parcels jsonb
-- Returns: property_id of each parcel that was stored
with computed as materialized (
  select *
  from jsonb_to_recordset($3::jsonb) as c (
    property_id bigint, mark bigint, layers smallint, remaining smallint, shape_hash uuid, elevation_runs bigint[],
    roads_runs bigint[], wetlands_runs bigint[], flood_runs bigint[], min_elevation_m real, mean_elevation_m real,
    max_elevation_m real, mean_slope_percent real, steeper_percent real[], highway_frontage_ft real,
    road_frontage_ft real, local_frontage_ft real, landlocked boolean, wetlands_percent real, flood_zone_percent real
  )
),
done as (
  delete from attributes_dirty d
  using computed c
  where d.fips = $1 and d.property_id = c.property_id and d.chunk = $2 and d.mark = c.mark and c.remaining = 0
  returning d.property_id
),
begun as (
  update attributes_dirty d
  set layers = c.remaining
  from computed c
  where d.fips = $1 and d.property_id = c.property_id and d.chunk = $2 and d.mark = c.mark and c.remaining <> 0
  returning d.property_id
),
mine as (
  select property_id
  from done
  union all
  select property_id
  from begun
)
insert into parcel_attributes as a (
  fips, property_id, shape_hash,
  elevation_runs, min_elevation_m, mean_elevation_m, max_elevation_m, mean_slope_percent, steeper_percent,
  roads_runs, highway_frontage_ft, road_frontage_ft, local_frontage_ft, landlocked,
  wetlands_runs, wetlands_percent,
  flood_runs, flood_zone_percent
)
select
  $1, c.property_id, c.shape_hash,
  case when c.layers & 1 > 0 then c.elevation_runs else old.elevation_runs end,
  case when c.layers & 1 > 0 then c.min_elevation_m else old.min_elevation_m end,
  case when c.layers & 1 > 0 then c.mean_elevation_m else old.mean_elevation_m end,
  case when c.layers & 1 > 0 then c.max_elevation_m else old.max_elevation_m end,
  case when c.layers & 1 > 0 then c.mean_slope_percent else old.mean_slope_percent end,
  case when c.layers & 1 > 0 then c.steeper_percent else old.steeper_percent end,
  case when c.layers & 2 > 0 then c.roads_runs else old.roads_runs end,
  case when c.layers & 2 > 0 then c.highway_frontage_ft else old.highway_frontage_ft end,
  case when c.layers & 2 > 0 then c.road_frontage_ft else old.road_frontage_ft end,
  case when c.layers & 2 > 0 then c.local_frontage_ft else old.local_frontage_ft end,
  case when c.layers & 2 > 0 then c.landlocked else old.landlocked end,
  case when c.layers & 4 > 0 then c.wetlands_runs else old.wetlands_runs end,
  case when c.layers & 4 > 0 then c.wetlands_percent else old.wetlands_percent end,
  case when c.layers & 8 > 0 then c.flood_runs else old.flood_runs end,
  case when c.layers & 8 > 0 then c.flood_zone_percent else old.flood_zone_percent end
from computed c
join mine using (property_id)
left join parcel_attributes old
  on old.fips = $1 and old.property_id = c.property_id and old.shape_hash = c.shape_hash
on conflict (fips, property_id) do update
set
  computed_at = now(),
  shape_hash = excluded.shape_hash,
  elevation_runs = excluded.elevation_runs,
  min_elevation_m = excluded.min_elevation_m,
  mean_elevation_m = excluded.mean_elevation_m,
  max_elevation_m = excluded.max_elevation_m,
  mean_slope_percent = excluded.mean_slope_percent,
  steeper_percent = excluded.steeper_percent,
  roads_runs = excluded.roads_runs,
  highway_frontage_ft = excluded.highway_frontage_ft,
  road_frontage_ft = excluded.road_frontage_ft,
  local_frontage_ft = excluded.local_frontage_ft,
  landlocked = excluded.landlocked,
  wetlands_runs = excluded.wetlands_runs,
  wetlands_percent = excluded.wetlands_percent,
  flood_runs = excluded.flood_runs,
  flood_zone_percent = excluded.flood_zone_percent
returning a.property_id
