-- Creates the lots of one county as parcels on the roll and as parcel_filters rows. Most of their columns are
-- known, as on a good roll. Values come from hashes of the row number, so that the same parameters give the
-- same parcels: one in five is vacant, one owner in eight lives in another state, and acres range from 0.1 to
-- 50, with the same number of lots in each doubling. $1 fips int, $2 serial of the first lot int, $3 extents
-- as text of box in 1e-7 degrees text[], $4 boundaries bytea[]
with lots as materialized (
  select
    i, extent, boundary, point(extent) as location, $1::bigint * 100000000 + i as property_id,
    round((0.1 * exp(u1 * ln(500.0)))::numeric, 2)::double precision as acres,
    u2 < 0.2 as vacant,
    u3 < 0.125 as out_of_state,
    floor(u4 * 997)::int as number,
    (20000 + 400000 * u5 * u5)::bigint as land_value,
    case when u2 < 0.2 then 0 else (50000 + 600000 * u4 * u4)::bigint end as improvement_value,
    date '2025-12-31' - floor(u5 * 12000)::int as sold
  from (
    select
      $2::int + place - 1 as i, extent::box as extent, boundary,
      (hashint8extended($2::int + place, 1) & 1048575) / 1048576.0::double precision as u1,
      (hashint8extended($2::int + place, 2) & 1048575) / 1048576.0::double precision as u2,
      (hashint8extended($2::int + place, 3) & 1048575) / 1048576.0::double precision as u3,
      (hashint8extended($2::int + place, 4) & 1048575) / 1048576.0::double precision as u4,
      (hashint8extended($2::int + place, 5) & 1048575) / 1048576.0::double precision as u5
    from unnest($3::text[], $4::bytea[]) with ordinality as given (extent, boundary, place)
  ) uniform
),
on_the_roll as (
  insert into parcels (
    fips, property_id, feed_id, source_key, apn, apn_normalized, location, extent, boundary, acres, calculated_acres,
    owner_name, mail_address, mail_city, mail_state, mail_zip, situs_address, situs_city, situs_state, situs_zip,
    land_use_code, structure_count, assessed_total_value, assessed_land_value, assessed_improvement_value,
    last_sale_date, vacant, created_run, changed_run
  )
  select
    $1::int, property_id, 1, i::text, to_char(i, 'FM0000-000-000'), lpad(i::text, 10, '0'), location, extent, boundary,
    acres, acres, 'OWNER ' || number || ' REVOCABLE TRUST', number || ' OAK ST', 'DES MOINES',
    case when out_of_state then 'NE' else 'IA' end, '50309', number || ' ELM AVE', 'DES MOINES', 'IA', '50309',
    'RESIDENTIAL', case when vacant then 0 else 1 end, land_value + improvement_value, land_value, improvement_value,
    sold, vacant, 1, 1
  from lots
)
insert into parcel_filters (
  fips, property_id, location, extent, effective_acres, situs_zip, owner_key, building_sqft, improvement_percent,
  assessed_total_value, assessed_land_value, assessed_improvement_value, last_sale_date, structure_count, year_built,
  tax_delinquent, owner_occupied, out_of_state_owner, out_of_county_owner, out_of_zip_owner, corporate_owner,
  hoa_owner, vacant
)
select
  $1::int, property_id, location, extent, acres, 50300 + number % 30, md5(i::text)::uuid,
  case when vacant then null else 800 + number end,
  100.0 * improvement_value / (land_value + improvement_value), land_value + improvement_value, land_value,
  improvement_value, sold, case when vacant then 0 else 1 end, case when vacant then null else 1900 + number % 120 end,
  number % 50 = 0, not out_of_state, out_of_state, out_of_state, out_of_state, number % 9 = 0, false, vacant
from lots
