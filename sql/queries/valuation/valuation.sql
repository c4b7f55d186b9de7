-- name: clear_marks
-- Clears the marks of a county that is about to be valued.
delete from valuations_dirty where fips = :fips

-- name: copy_assessed
-- Assessed land values of a county's parcels from all versions of its rolls, by parcel and by the first date
-- on which each value applies. Parameter: fips.
copy (
  select a.property_id, a.as_of, a.value::float8, f.effective_acres
  from assessed_land_values a
  join parcel_filters f on f.fips = a.fips and f.property_id = a.property_id
  where a.fips = {{fips}} and f.effective_acres > 0
  order by a.property_id, a.as_of
) to stdout (format binary);

-- name: copy_comps
-- The comps that valuations can use, by id, with the columns that workers/valuation/valuation-comps.ts names.
-- Status: 0 ACTIVE, 1 PENDING, 2 SOLD. The last asking price of a sale comes from its source, or otherwise
-- from the listing's history. If an operator included or excluded a sale, that decision applies. The lot is a
-- hash of the parcel number, cut to the 53 bits that a float can hold exactly. {{where}}: a condition on the
-- comps.
copy (
  select
    l.id, (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char", l.price::float8, l.lot_acres,
    l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips,
    case when l.status = 'SOLD' then coalesce(nullif(l.asked_price, 0), h.price)::float8 end,
    l.feed_id, (f.kind = 'assessor')::int::"char", c.property_id,
    hashtextextended(nullif(upper(regexp_replace(l.apn, '[^[:alnum:]]', '', 'g')), ''), 0) & 9007199254740991,
    (o.used is true)::int::"char",
    c.steep_percent::float8, c.frontage_ft::float8, c.flood_percent::float8, c.wetlands_percent::float8,
    c.waterfront::int::float8
  from (
    select l.* from listings l where l.status <> 'OFF_MARKET' and {{where}}
    union all
    select l.*
    from sale_overrides d
    join listings l on l.id = d.id
    where d.used and l.status = 'OFF_MARKET' and {{where}}
  ) l
  join feeds f on f.id = l.feed_id
  left join comp_land c on c.listing_id = l.id
  left join sale_overrides o on o.id = l.id
  left join lateral (
    select e.price
    from listing_events e
    where e.listing_id = l.id and l.status = 'SOLD' and coalesce(l.asked_price, 0) = 0
      and e.status in ('ACTIVE', 'PENDING') and e.price > 0
    order by e.run_id desc
    limit 1
  ) h on true
  where l.lot_acres > 0 and l.price > 0 and l.location is not null and l.fips is not null and o.used is distinct from false
  order by l.id
) to stdout (format binary);

-- name: copy_parcels
-- A county's parcels with acreage and location (1e-7 degrees), and their land figures. Parameter: fips.
copy (
  select
    f.property_id, f.location[0], f.location[1], f.effective_acres,
    f.steeper_percent[6]::float8, (f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft)::float8,
    f.flood_zone_percent::float8, f.wetlands_percent::float8, f.waterfront::int::float8
  from parcel_filters f
  where f.fips = {{fips}} and f.location is not null and f.effective_acres > 0
) to stdout (format binary);

-- name: copy_valuations
-- Writes valuations, with the columns in the order that workers/valuation/value-county.ts uses.
copy valuations (
  fips, property_id, mean_price, mean_ppa, mean_adjusted_price, mean_adjusted_ppa, gini_index, confidence_score, low_price,
  high_price, out_of_support, comps, neighborhood_ppa, neighborhood_weight, as_of, model_version
) from stdin

-- name: delete_valuations
-- Deletes a county's valuations before they are rewritten.
with gone as (
  delete from assemblage_values where fips = :fips
)
delete from valuations where fips = :fips

-- name: forget_comp_land
-- Deletes the land figures of a county's comps.
delete from comp_land where fips = :fips

-- name: get_as_of
-- The as-of date: today in UTC, or the date of the latest snapshot if all sales and listings come from
-- snapshots.
select to_char(
  case when bool_and(f.as_of is not null) then max(f.as_of) else (now() at time zone 'UTC')::date end, 'YYYY-MM-DD'
) as day
from feeds f
where exists (select true from listings l where l.feed_id = f.id)

-- name: get_dirty_state
-- Whether parcels are waiting to be valued, whether comps have no model of this version yet, and whether a
-- valuation job is open. `model_version`: the model's version.
select
  exists (select true from valuations_dirty) as due,
  exists (select true from listings) and not exists (
    select true from valuation_counties where model_version = :model_version
  ) as unfitted,
  exists (
    select true from jobs where name in ('valuation.all', 'valuation.county') and status in ('queued', 'running')
  ) as open

-- name: has_land
-- Whether any parcel of a county has figures from land layers, or an assessed or market value for its land.
-- Reads one entry of each index, while `exists` would read the whole index. The last index is read only if
-- the others have no entry.
(select true from parcel_attributes where fips = :fips limit 1)
union all
(select true from assessed_land_values where fips = :fips limit 1)
union all
(select true from parcel_filters where fips = :fips and market_land_value > 0 limit 1)
limit 1

-- name: has_sales
-- Whether a county has a sale that valuations can use.
select true as known
from listings
where fips = :fips and status = 'SOLD' and price > 0 and lot_acres > 0 and location is not null
limit 1

-- name: has_estimates
-- Whether model estimates of a county are stored. `model_version`: the model's version.
select true as known from valuation_counties where fips = :fips and model_version = :model_version

-- name: list_comps_on_land
-- A county's comps whose parcel is unknown, with the parcels that contain their points and have the sold
-- acreage, as in link_comps.sql.
select l.id, f.property_id, l.location[0] as x, l.location[1] as y, p.boundary
from listings l
left join comp_land c on c.listing_id = l.id
join parcel_filters f on f.fips = :fips and l.location <@ f.extent
join parcels p on p.fips = :fips and p.property_id = f.property_id and p.boundary is not null
where l.fips = :fips and l.status <> 'OFF_MARKET' and c.listing_id is null
  and ((l.lot_acres > 0) is not true or abs(f.effective_acres - l.lot_acres) <= :most_correction::float8 * l.lot_acres)
order by l.id, f.property_id

-- name: list_counties
-- The counties that have or had parcels, or have comps. Returns: fips, parcels (whether there is something
-- to value)
select fips, bool_or(parcels) as parcels
from (
  select fips, true as parcels
  from county_serials
  union all
  select distinct fips, false
  from listings
  where status <> 'OFF_MARKET' and fips is not null
) as known
group by fips
order by fips

-- name: list_estimates
-- Model estimates from the sales in all other counties. `fips`: the county to exclude. `model_version`: the
-- model's version.
select fips, estimates
from valuation_counties
where fips <> :fips and model_version = :model_version
order by fips

-- name: list_land_uses
-- The land uses of a county's parcels.
select distinct land_use_code as code
from parcels
where fips = :fips and retired_at is null and land_use_code is not null

-- name: list_assemblages
-- The assemblages whose id is in a county, with their lots in the county, largest first. A lot is the largest
-- of the parcels that share its boundary.
select assemblage_id, acres, json_agg(property_id order by lot_acres desc, property_id) as property_ids
from (
  select distinct on (g.assemblage_id, f.location::text, area(f.extent))
    g.assemblage_id, g.acres, g.property_id, f.effective_acres as lot_acres
  from assemblages g
  join parcel_filters f on f.fips = g.fips and f.property_id = g.property_id
  where g.fips = :fips and g.assemblage_id / 100000000 = :fips and f.effective_acres > 0 and f.location is not null
  order by g.assemblage_id, f.location::text, area(f.extent), f.effective_acres desc, g.property_id
) lots
group by assemblage_id, acres

-- name: list_marked_counties
-- Lists the counties that are waiting to be valued.
select distinct fips from valuations_dirty order by fips

-- name: list_used_as
-- A county's parcels with one of these land uses.
select property_id as id
from parcels
where fips = :fips and retired_at is null and land_use_code = any (:codes::text[])

-- name: list_used_comps
-- The comps of a valuation, in the order of `ids`. A comp that its feed has since withdrawn has the status
-- OFF_MARKET, unless it is a sale that an operator included.
select
  l.id, case when o.used and l.status = 'OFF_MARKET' then 'SOLD' else l.status end as status, l.price::float8 as price, l.lot_acres as lot_size, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date
from unnest(:ids::uuid[]) with ordinality as used (id, place)
join listings l on l.id = used.id
left join sale_overrides o on o.id = l.id
order by used.place

-- name: lock_county
-- Allows one writer of a county's valuations at a time, until the transaction ends. `lock`: first of the
-- pair of advisory locks.
select pg_advisory_xact_lock(:lock, :fips)

-- name: store_assemblage_values
-- Stores the values of a county's assemblages. Literal: rows (JSON objects with the columns)
insert into assemblage_values (fips, assemblage_id, acres, price, low_price, high_price, out_of_support)
select fips, assemblage_id, acres, price, low_price, high_price, out_of_support
from json_populate_recordset(null::assemblage_values, {{rows}}::json)

-- name: mark_comps
-- Marks the counties of the run's new, changed, and removed comps, before and after the change, and the
-- counties near them. Run this before the comps are written. Changes to columns that valuations don't use are
-- ignored.
with moved as (
  select
    s.fips, s.location, s.status, l.fips as old_fips, l.location as old_location, l.status as old_status
  from stage_listing_match m
  left join stage_listing s on s.id = m.id
  left join listings l on l.id = m.id
  where m.state <> 'unchanged'
    and (l.status, l.price, l.lot_acres, l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips, l.apn)
      is distinct from
      (s.status, s.price, s.lot_acres, s.location[0], s.location[1], s.sold_date, s.listed_date, s.fips, s.apn)
),
places as (
  select fips, location from moved where status <> 'OFF_MARKET' and fips is not null and location is not null
  union all
  select old_fips, old_location
  from moved
  where old_status <> 'OFF_MARKET' and old_fips is not null and old_location is not null
),
changed as (
  select
    fips,
    box(
      point(min(location[0]), min(location[1])), point(max(location[0]), max(location[1]))
    ) as extent
  from places
  group by fips
)
insert into valuations_dirty (fips)
select fips from changed
union
select near.fips
from changed
join valuation_counties near on near.reach && changed.extent

-- name: mark_counties
-- Marks counties to be valued.
insert into valuations_dirty (fips)
select fips from unnest(:fips::int[]) as fips

-- name: mark_land
-- Marks a county whose land figures changed, and the counties near its comps.
insert into valuations_dirty (fips)
select :fips::int
union
select near.fips
from valuation_counties own
join valuation_counties near on near.reach && own.extent
where own.fips = :fips

-- name: read_valuations
-- Stored valuations. Figures are null if the parcel has no relevant comps. `property_ids`: without
-- duplicates.
select
  p.property_id, v.mean_price, v.mean_ppa, v.mean_adjusted_price, v.mean_adjusted_ppa, v.confidence_score, v.gini_index,
  v.low_price, v.high_price, v.out_of_support, case when :with_comps::boolean then v.comps end as comps, v.neighborhood_ppa,
  v.neighborhood_weight, to_char(v.as_of, 'YYYY-MM-DD') as as_of, v.model_version
from unnest(:fips::int[], :property_ids::bigint[]) as asked (fips, property_id)
join parcels p on p.fips = asked.fips and p.property_id = asked.property_id
left join valuations v on v.fips = p.fips and v.property_id = p.property_id
where p.fips = any (:fips::int[]) and p.retired_at is null

-- name: store_comp_land
-- Stores the land figures of comps that were found by their points. Parameters: fips, and comp ids and parcel
-- ids, in pairs.
insert into comp_land (
  listing_id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent, waterfront
)
select
  c.id, f.fips, f.property_id, f.steeper_percent[6],
  f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft, f.flood_zone_percent, f.wetlands_percent,
  f.waterfront
from unnest({{ids}}::uuid[], {{parcels}}::bigint[]) as c (id, property_id)
join parcel_filters f on f.fips = {{fips}} and f.property_id = c.property_id

-- name: store_estimates
-- Stores model estimates from a county's sales. `price_index`: its knots, or null. `model_version`: the
-- model's version.
insert into valuation_counties (fips, estimates, price_index, model_version)
values (:fips, :estimates, :price_index, :model_version)
on conflict (fips) do update
set estimates = excluded.estimates, price_index = excluded.price_index, model_version = excluded.model_version

-- name: store_valued
-- Stores the extent of a county's parcels and the area that their comps can be in, in 1e-7 degrees. `extent`:
-- the parcels' extent, or null. `reach`: the extent, expanded by the maximum distance of comps. `as_of`: the
-- valuation date, or null. `breaks` and `counts`: the classes of value per acre, or null.
insert into valuation_counties (fips, extent, reach, as_of, ppa_breaks, ppa_counts)
values (:fips, :extent, :reach, :as_of, :breaks, :counts)
on conflict (fips) do update
set
  extent = excluded.extent, reach = excluded.reach, as_of = excluded.as_of, ppa_breaks = excluded.ppa_breaks,
  ppa_counts = excluded.ppa_counts

-- name: watch_jobs
-- The mean progress of the given jobs, 0 to 1, and the number of parcels in the jobs that are done.
select
  coalesce(avg(case when status = 'done' then 1 else progress end), 1)::float8 as progress,
  count(*) filter (where status in ('queued', 'running'))::int as open,
  count(*) filter (where status = 'failed')::int as failed,
  coalesce(sum((result ->> 'parcels')::int) filter (where status = 'done'), 0)::int as parcels,
  coalesce(sum((result ->> 'valued')::int) filter (where status = 'done'), 0)::int as valued,
  min(error) filter (where status = 'failed') as error
from jobs
where id = any (:ids::uuid[])
