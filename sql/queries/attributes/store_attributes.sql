-- Stores what was computed of parcels of a county, all by the same kinds of layers, and brings what filters read to it;
-- rows of parcel_filters that say it already are not written. What is known by the other kinds stays, if it is of the
-- same shape. The kinds of one call are a parameter, so that no row has to be looked up before it is written.
-- $1 fips int, $2 layers int, $3 the parcels json (read once: as jsonb it would take twice the time)
-- Returns: property_id of those of which the filters say something else now
with stored as (
  insert into parcel_attributes as a (
    fips, property_id, shape_hash,
    elevation_runs, min_elevation_m, mean_elevation_m, max_elevation_m, mean_slope_percent, steeper_percent,
    roads_runs, highway_frontage_ft, road_frontage_ft, local_frontage_ft, landlocked,
    wetlands_runs, wetlands_percent,
    flood_runs, flood_zone_percent
  )
  select
    $1, c.property_id, c.shape_hash,
    c.elevation_runs, c.min_elevation_m, c.mean_elevation_m, c.max_elevation_m, c.mean_slope_percent, c.steeper_percent,
    c.roads_runs, c.highway_frontage_ft, c.road_frontage_ft, c.local_frontage_ft, c.landlocked,
    c.wetlands_runs, c.wetlands_percent,
    c.flood_runs, c.flood_zone_percent
  from json_to_recordset($3::json) as c (
    property_id bigint, shape_hash uuid,
    elevation_runs bigint[], min_elevation_m real, mean_elevation_m real, max_elevation_m real,
    mean_slope_percent real, steeper_percent real[],
    roads_runs bigint[], highway_frontage_ft real, road_frontage_ft real, local_frontage_ft real, landlocked boolean,
    wetlands_runs bigint[], wetlands_percent real,
    flood_runs bigint[], flood_zone_percent real
  )
  on conflict (fips, property_id) do update
  set
    computed_at = now(),
    shape_hash = excluded.shape_hash,
    elevation_runs = case
      when $2::int & 1 > 0 then excluded.elevation_runs
      when a.shape_hash = excluded.shape_hash then a.elevation_runs
    end,
    min_elevation_m = case
      when $2::int & 1 > 0 then excluded.min_elevation_m
      when a.shape_hash = excluded.shape_hash then a.min_elevation_m
    end,
    mean_elevation_m = case
      when $2::int & 1 > 0 then excluded.mean_elevation_m
      when a.shape_hash = excluded.shape_hash then a.mean_elevation_m
    end,
    max_elevation_m = case
      when $2::int & 1 > 0 then excluded.max_elevation_m
      when a.shape_hash = excluded.shape_hash then a.max_elevation_m
    end,
    mean_slope_percent = case
      when $2::int & 1 > 0 then excluded.mean_slope_percent
      when a.shape_hash = excluded.shape_hash then a.mean_slope_percent
    end,
    steeper_percent = case
      when $2::int & 1 > 0 then excluded.steeper_percent
      when a.shape_hash = excluded.shape_hash then a.steeper_percent
    end,
    roads_runs = case
      when $2::int & 2 > 0 then excluded.roads_runs
      when a.shape_hash = excluded.shape_hash then a.roads_runs
    end,
    highway_frontage_ft = case
      when $2::int & 2 > 0 then excluded.highway_frontage_ft
      when a.shape_hash = excluded.shape_hash then a.highway_frontage_ft
    end,
    road_frontage_ft = case
      when $2::int & 2 > 0 then excluded.road_frontage_ft
      when a.shape_hash = excluded.shape_hash then a.road_frontage_ft
    end,
    local_frontage_ft = case
      when $2::int & 2 > 0 then excluded.local_frontage_ft
      when a.shape_hash = excluded.shape_hash then a.local_frontage_ft
    end,
    landlocked = case
      when $2::int & 2 > 0 then excluded.landlocked
      when a.shape_hash = excluded.shape_hash then a.landlocked
    end,
    wetlands_runs = case
      when $2::int & 4 > 0 then excluded.wetlands_runs
      when a.shape_hash = excluded.shape_hash then a.wetlands_runs
    end,
    wetlands_percent = case
      when $2::int & 4 > 0 then excluded.wetlands_percent
      when a.shape_hash = excluded.shape_hash then a.wetlands_percent
    end,
    flood_runs = case
      when $2::int & 8 > 0 then excluded.flood_runs
      when a.shape_hash = excluded.shape_hash then a.flood_runs
    end,
    flood_zone_percent = case
      when $2::int & 8 > 0 then excluded.flood_zone_percent
      when a.shape_hash = excluded.shape_hash then a.flood_zone_percent
    end
  returning a.property_id, a.landlocked, a.wetlands_percent, a.flood_zone_percent, a.highway_frontage_ft,
    a.road_frontage_ft, a.local_frontage_ft, a.steeper_percent
)
update parcel_filters f
set
  landlocked = s.landlocked,
  wetlands_percent = s.wetlands_percent,
  flood_zone_percent = s.flood_zone_percent,
  highway_frontage_ft = s.highway_frontage_ft,
  road_frontage_ft = s.road_frontage_ft,
  local_frontage_ft = s.local_frontage_ft,
  steeper_percent = s.steeper_percent
from stored s
where f.fips = $1
  and f.property_id = s.property_id
  and (
    f.landlocked, f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft,
    f.local_frontage_ft, f.steeper_percent
  ) is distinct from (
    s.landlocked, s.wetlands_percent, s.flood_zone_percent, s.highway_frontage_ft, s.road_frontage_ft,
    s.local_frontage_ft, s.steeper_percent
  )
returning f.property_id
