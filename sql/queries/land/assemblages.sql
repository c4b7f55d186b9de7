-- name: clear_assemblage_marks
-- Clears the marks of a county whose assemblages are about to be computed.
delete from assemblages_dirty where fips = :fips

-- name: copy_owned_parcels
-- A county's parcels whose owner is known, with their owner's key, whether their mailing address may have no
-- ZIP, and their extents in 1e-7 degrees. Fragments: fips; among (a condition on `parcel_filters f`)
copy (
  select f.property_id, f.owner_key, case when f.out_of_zip_owner is null then 1 else 0 end, f.effective_acres,
    (f.extent[1])[0], (f.extent[1])[1], (f.extent[0])[0], (f.extent[0])[1]
  from parcel_filters f
  where f.fips = {{fips}} and f.owner_key is not null and {{among}}
  order by f.property_id
) to stdout (format binary)

-- name: copy_assemblages
-- The stored assemblages of a county. Fragment: fips.
copy (
  select property_id, assemblage_id, parcels, acres, touching_parcels, touching_acres,
    coalesce(cardinality(counties), 0)
  from assemblages
  where fips = {{fips}}
  order by property_id
) to stdout (format binary)

-- name: delete_assemblages
-- Deletes the rows of a county's parcels that belong to no assemblage anymore.
delete from assemblages
where fips = :fips and property_id = any (:property_ids::bigint[])

-- name: find_assemblage
-- The assemblage of a parcel and the counties of its parcels. Returns no row if the parcel has none.
select assemblage_id as id, counties, acres
from assemblages
where fips = :fips and property_id = :property_id and assemblage_id is not null

-- name: list_assemblage_members
-- The parcels of an assemblage, largest first, with their estimates, road frontage, buildable acres, and
-- extents in 1e-7 degrees. `lot` is the same for parcels with the same boundary. Each table has the counties,
-- because Citus would ask every shard otherwise.
select f.property_id, p.apn, p.situs_address, f.effective_acres, v.mean_adjusted_price as value,
  case
    when num_nonnulls(f.highway_frontage_ft, f.road_frontage_ft, f.local_frontage_ft) > 0
      then (coalesce(f.highway_frontage_ft, 0) + coalesce(f.road_frontage_ft, 0) + coalesce(f.local_frontage_ft, 0))::float8
  end as frontage_ft,
  f.buildable_acres,
  f.location::text || ' ' || area(f.extent) as lot,
  (f.extent[1])[0] as west, (f.extent[1])[1] as south, (f.extent[0])[0] as east, (f.extent[0])[1] as north
from assemblages g
join parcel_filters f on f.fips = g.fips and f.property_id = g.property_id
join parcels p on p.fips = g.fips and p.property_id = g.property_id
left join valuations v on v.fips = g.fips and v.property_id = g.property_id
where g.fips = any (:counties::int[]) and f.fips = any (:counties::int[]) and p.fips = any (:counties::int[])
  and g.assemblage_id = :id::bigint
order by f.effective_acres desc nulls last, f.property_id

-- name: list_assemblage_marks
-- Counties whose assemblages must be computed.
select distinct fips from assemblages_dirty order by fips

-- name: list_only_owners
-- The owner with a ZIP at each of these places, if there is exactly one.
select place_key, min(owner_key::text)::uuid as owner_key
from owner_parcels
where place_key = any (:place_keys::uuid[]) and owner_key <> place_key
group by place_key
having min(owner_key::text) = max(owner_key::text)

-- name: list_owners_parcels
-- The parcels of owners.
select property_id
from owner_parcels
where owner_key = any (:owner_keys::uuid[])

-- name: list_owners_places
-- The places of owners.
select distinct place_key
from owner_parcels
where owner_key = any (:owner_keys::uuid[]) and place_key is not null

-- name: mark_assemblages
-- Marks counties whose assemblages must be computed.
insert into assemblages_dirty (fips)
select unnest(:counties::int[])

-- name: read_assemblage_value
-- The value of an assemblage as a whole, if it was computed for its current acreage.
select price, low_price, high_price, out_of_support
from assemblage_values
where fips = :fips and assemblage_id = :id and acres = :acres

-- name: read_lots
-- The boundaries of parcels that have one.
select property_id, boundary, location[0] as x, location[1] as y, calculated_acres
from parcels
where fips = any (:counties::int[]) and property_id = any (:property_ids::bigint[]) and boundary is not null

-- name: read_shown_assemblages
-- The parcels of a county that are on the roll, and their assemblages, as the API shows them.
select p.property_id, p.created_run, p.row_version, {{assemblage}}
from parcels p
left join assemblages g on g.fips = p.fips and g.property_id = p.property_id
where p.fips = :fips and p.property_id = any (:property_ids::bigint[]) and p.retired_at is null
order by p.property_id

-- name: store_assemblages
-- Stores assemblages of a county's parcels. Literals: rows (JSON objects with the columns)
insert into assemblages as g (
  fips, property_id, assemblage_id, counties, parcels, acres, touching_parcels, touching_acres
)
select fips, property_id, assemblage_id, counties, parcels, acres, touching_parcels, touching_acres
from json_populate_recordset(null::assemblages, {{rows}}::json)
on conflict (fips, property_id) do update
set assemblage_id = excluded.assemblage_id, counties = excluded.counties, parcels = excluded.parcels,
  acres = excluded.acres, touching_parcels = excluded.touching_parcels, touching_acres = excluded.touching_acres
