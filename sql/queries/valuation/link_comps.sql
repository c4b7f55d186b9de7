-- Finds the parcels of a county's comps by key or parcel number, and stores the parcels' land figures, unless
-- the sold acreage differs. Deletes the land figures of all other comps. Parameters: fips, most_correction
-- (the largest correction of an acreage, as a share of what was sold).
with looked_at as (
  -- market/list_sales.sql builds the source_id of a roll's sale as county/parcel key/date.
  select l.id, l.fips, l.feed_id, l.apn, l.lot_acres, substring(l.source_id from '^\d{5}/(.*)/\d{4}-\d\d-\d\d$') as key
  from listings l
  where l.fips = {{fips}} and l.status <> 'OFF_MARKET'
),
known as (
  select
    l.id, f.fips, f.property_id, f.steeper_percent[6] as steep_percent,
    f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft as frontage_ft,
    f.flood_zone_percent as flood_percent, f.wetlands_percent, f.waterfront
  from looked_at l
  left join parcels own
    on own.fips = {{fips}} and own.feed_id = l.feed_id and own.source_key = l.key and own.retired_at is null
  left join (
    select p.apn_normalized, min(p.property_id) as property_id
    from parcels p
    where p.fips = {{fips}} and p.retired_at is null
    group by p.apn_normalized
    having count(*) = 1
  ) as numbered on l.apn <> '' and numbered.apn_normalized = upper(translate(l.apn, ' .-', ''))
  join parcel_filters f on f.fips = {{fips}} and f.property_id = coalesce(own.property_id, numbered.property_id)
  where ((l.lot_acres > 0) is not true or abs(f.effective_acres - l.lot_acres) <= {{most_correction}} * l.lot_acres)
),
gone as (
  delete from comp_land c
  where c.fips = {{fips}} and not exists (select true from known where known.id = c.listing_id)
)
insert into comp_land as c (
  listing_id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent, waterfront
)
select id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent, waterfront
from known
on conflict (listing_id) do update
set
  fips = excluded.fips, property_id = excluded.property_id, steep_percent = excluded.steep_percent,
  frontage_ft = excluded.frontage_ft, flood_percent = excluded.flood_percent, wetlands_percent = excluded.wetlands_percent,
  waterfront = excluded.waterfront
where (c.fips, c.property_id, c.steep_percent, c.frontage_ft, c.flood_percent, c.wetlands_percent, c.waterfront)
  is distinct from (
    excluded.fips, excluded.property_id, excluded.steep_percent, excluded.frontage_ft, excluded.flood_percent,
    excluded.wetlands_percent, excluded.waterfront
  )
