-- Finds the parcels of comps by their number and stores what is known of their land: a sale of a roll is of the parcel of the
-- same key, another comp of the only parcel of the county with its APN. A parcel of another acreage than was sold has been split
-- or merged since: its land is not the comp's. Takes away what was stored of the others.
-- $1 ids of the comps uuid[], or null; $2 their county FIPS int, or null: all comps; $3 the largest correction of an acreage, as a
-- share of what was sold float8
with landed as (
  select c.fips
  from county_serials c
  -- One look at the index a county: `exists` would read all of the table.
  where ($2::int is null or c.fips = $2) and (select true from parcel_attributes a where a.fips = c.fips limit 1)
),
looked_at as (
  -- How stage-sales.ts names a roll's sales: county, key of the parcel, day.
  select l.id, l.fips, l.feed_id, l.apn, l.lot_acres, substring(l.source_id from '^\d{5}/(.*)/\d{4}-\d\d-\d\d$') as key
  from listings l
  join landed using (fips)
  where l.status <> 'OFF_MARKET' and ($1::uuid[] is null or l.id = any ($1))
),
known as (
  select
    l.id, f.fips, f.property_id, f.steeper_percent[6] as steep_percent,
    f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft as frontage_ft,
    f.flood_zone_percent as flood_percent, f.wetlands_percent
  from looked_at l
  left join parcels own
    on own.fips = l.fips and own.feed_id = l.feed_id and own.source_key = l.key and own.retired_at is null
  left join lateral (
    select min(p.property_id) as property_id
    from parcels p
    where own.property_id is null and l.apn <> '' and p.fips = l.fips
      and p.apn_normalized = upper(translate(l.apn, ' .-', '')) and p.retired_at is null
    having count(*) = 1
  ) as numbered on true
  join parcel_filters f on f.fips = l.fips and f.property_id = coalesce(own.property_id, numbered.property_id)
  where (
      f.steeper_percent is not null or f.landlocked is not null or f.flood_zone_percent is not null
      or f.wetlands_percent is not null
    )
    and ((l.lot_acres > 0) is not true or abs(f.effective_acres - l.lot_acres) <= $3::float8 * l.lot_acres)
),
gone as (
  delete from comp_land c
  where case when $1::uuid[] is null then $2::int is null or c.fips = $2 else c.listing_id = any ($1) end
    and not exists (select from known where known.id = c.listing_id)
)
insert into comp_land as c (
  listing_id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent
)
select id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent
from known
on conflict (listing_id) do update
set
  fips = excluded.fips, property_id = excluded.property_id, steep_percent = excluded.steep_percent,
  frontage_ft = excluded.frontage_ft, flood_percent = excluded.flood_percent, wetlands_percent = excluded.wetlands_percent
where (c.fips, c.property_id, c.steep_percent, c.frontage_ft, c.flood_percent, c.wetlands_percent)
  is distinct from (
    excluded.fips, excluded.property_id, excluded.steep_percent, excluded.frontage_ft, excluded.flood_percent,
    excluded.wetlands_percent
  )
