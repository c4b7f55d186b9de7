-- What is stored of a parcel's land: the figures, whether they are of the boundary that it has, and the kinds of layers
-- that wait to be computed anew.
-- $1 property id bigint
-- Returns: one row; computed_at null when nothing was ever computed; waiting: bits
select
  a.computed_at, a.shape_hash is not distinct from p.shape_hash as of_boundary, coalesce(w.layers, 0) as waiting,
  a.min_elevation_m, a.mean_elevation_m, a.max_elevation_m, a.mean_slope_percent, a.steeper_percent,
  a.highway_frontage_ft, a.road_frontage_ft, a.local_frontage_ft, a.landlocked, a.wetlands_percent,
  a.flood_zone_percent
from parcels p
left join parcel_attributes a on a.fips = p.fips and a.property_id = p.property_id
left join attributes_dirty w on w.fips = p.fips and w.property_id = p.property_id
where p.fips = ($1::bigint / 100000000)::int and p.property_id = $1::bigint
