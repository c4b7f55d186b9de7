-- name: read_shown_land
-- The parcels' land figures, as the API shows them. Excludes figures that were computed for an earlier shape.
select
  p.property_id, p.created_run, p.row_version, coalesce(f.access, 'unknown') as access, f.landlocked,
  f.wetlands_percent, f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft, f.local_frontage_ft,
  f.steeper_percent, f.waterfront, f.waterfront_ft, a.water_name, a.mean_slope_percent, a.min_elevation_m, a.mean_elevation_m, a.max_elevation_m,
  f.buildable_acres, f.buildable_percent, f.buildable_patch_acres,
  (
    select jsonb_object_agg(o.overlay, to_jsonb(o) - 'fips' - 'overlay' - 'property_id')
    from parcel_overlays o
    where o.fips = :fips and o.property_id = a.property_id
  ) as overlays
from parcels p
join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
left join parcel_attributes a
  on a.fips = p.fips and a.property_id = p.property_id and a.shape_hash = p.shape_hash
where p.fips = :fips and p.property_id = any (:property_ids::bigint[])
order by p.property_id

-- name: list_loading_runs
-- Which of these runs loaded the county's first parcels within the last `days` days.
select r.id as run_id
from runs r
join changes c on c.fips = :fips and c.run_id = r.id and c.type = 'county.loaded' and c.fields ? 'parcels'
where r.id = any (:runs::bigint[]) and r.finished_at > now() - :days * interval '1 day'

-- name: stage_measured_land
-- Parcels of a county whose land figures changed. The arrays are parallel: one element per parcel.
insert into pending_changes (type, fips, property_id, fields, row_version)
select 'land.measured', :fips, property_id, fields, :version::bigint
from unnest(:property_ids::bigint[], :fields::jsonb[]) as m (property_id, fields)

-- name: set_row_version
-- Sets the row_version of a county's changed parcels. Fragment: table.
update {{table}}
set row_version = :version
where fips = :fips and property_id = any (:property_ids::bigint[])
