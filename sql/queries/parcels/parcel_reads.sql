-- name: find_apn
-- The parcels in a county with this number, ignoring spaces, dashes, dots, and case, ordered by id. `owned`:
-- whether the owner's name matches. `patterns`: LIKE patterns, or empty for none.
select p.property_id, p.apn,
  coalesce(fold_name(p.owner_name) like all (array(select fold_name(pattern) from unnest(:patterns::text[]) pattern)), false) as owned
from parcels p
where p.fips = :fips::int and p.apn_normalized = upper(translate(:apn::text, ' .-', '')) and p.retired_at is null
order by p.property_id

-- name: find_apns
-- The parcels in a county with these numbers, ignoring spaces, dashes, dots, and case.
select a.asked, p.property_id, p.apn
from unnest(:apns::text[]) as a (asked)
join parcels p on p.fips = :fips::int and p.apn_normalized = upper(translate(a.asked, ' .-', '')) and p.retired_at is null
order by p.property_id

-- name: find_owner_words
-- For each piece of text, returns the serials of a county's parcels whose owner has a matching word: 4 bytes
-- per serial, in base64, with repeats. If any piece matches few parcels, returns only the rarest piece.
-- Fragment: word is `w.word` to use the index, or an expression on `w.word` to check all words.
with matched as materialized (
  select piece.n, w.serials
  -- OFFSET 0 makes PostgreSQL fold a pattern once, not once per word.
  from (select n, fold_name(pattern) as pattern from unnest(:patterns::text[]) with ordinality given (pattern, n) offset 0) piece
  join owner_words w on w.fips = :fips::int and {{word}} like piece.pattern
),
sized as materialized (
  select piece.n, coalesce(sum(octet_length(m.serials)), 0) / 4 as parcels
  from generate_series(1, cardinality(:patterns::text[])) piece (n)
  left join matched m on m.n = piece.n
  group by piece.n
),
wanted as (
  select n
  from sized
  order by parcels
  limit case when (select min(parcels) from sized) <= :few::int then 1 end
)
select encode(coalesce(string_agg(m.serials, ''), ''), 'base64') as serials
from wanted w
left join matched m on m.n = w.n
group by w.n

-- name: get_parcel
-- Everything known about a parcel, whether it is on the roll or retired. A retired parcel has no filter or
-- land data. Fragments: summary (the columns of a summary); roll (the columns that a roll fills).
select {{summary}}, {{roll}}, p.boundary, p.retired_at,
  f.improvement_percent, f.out_of_state_owner, f.out_of_county_owner, f.out_of_zip_owner, f.corporate_owner,
  f.hoa_owner, coalesce(f.owner_occupied, p.owner_occupied) as owner_occupied,
  coalesce(f.access, 'unknown') as access, f.landlocked, f.wetlands_percent, f.flood_zone_percent,
  f.highway_frontage_ft, f.road_frontage_ft, f.local_frontage_ft, f.steeper_percent, f.waterfront,
  f.waterfront_ft, a.water_name,
  f.buildable_acres, f.buildable_percent, f.buildable_patch_acres, a.unbuildable,
  case when f.property_id is not null then array_remove(array[
    case when f.steeper_percent is null or (f.buildable_acres is null
      and f.wetlands_percent is not null and f.flood_zone_percent is not null) then 'elevation' end,
    case when f.wetlands_percent is null then 'wetlands' end,
    case when f.flood_zone_percent is null then 'flood' end
  ], null) end as buildable_missing,
  a.min_elevation_m, a.mean_elevation_m, a.max_elevation_m, a.mean_slope_percent,
  case when a.property_id is not null then (
    select jsonb_object_agg(o.overlay, to_jsonb(o))
    from parcel_overlays o
    where o.fips = :fips::int and o.property_id = p.property_id
  ) end as overlays
from parcels p
left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
left join assemblages g on g.fips = p.fips and g.property_id = p.property_id
left join parcel_attributes a
  on a.fips = f.fips and a.property_id = f.property_id and a.shape_hash = p.shape_hash
where p.fips = :fips::int and p.property_id = :property_id::bigint

-- name: list_matching_owners
-- A county's parcels whose owner's name matches. `property_ids` may be null.
select p.property_id
from parcels p
where p.fips = :fips::int
  and (:property_ids::bigint[] is null or p.property_id = any (:property_ids))
  and p.retired_at is null
  and fold_name(p.owner_name) like all (array(select fold_name(pattern) from unnest(:patterns::text[]) pattern))
order by p.property_id

-- name: read_owner
-- The owner of a parcel, and whether the parcel has left the roll.
select p.retired_at is not null as retired, f.owner_key
from parcels p
left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
where p.fips = :fips::int and p.property_id = :property_id::bigint
