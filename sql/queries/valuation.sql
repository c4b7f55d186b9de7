-- name: clear_county_marks
-- Takes back the marks of a county that is valued as a whole in this transaction; that of its land is more: what was
-- stored of its comps is to be renewed, and its neighbours look at them.
-- $1 county FIPS int
delete from valuations_dirty where fips = $1 and land_of is null

-- name: clear_market_marks
-- Takes all marks back: everything is about to be valued anew.
delete from valuations_dirty

-- name: clear_marks
-- Takes back marks that were dealt with.
-- $1 ids bigint[]
delete from valuations_dirty where id = any ($1::bigint[])

-- name: clear_outliers
-- Forgets which sales the last fit left out.
delete from valuation_outliers

-- name: copy_comps_around
-- The same as copy_comps.sql for the comps in a box, and whether each is an outlier (1) or not (0): plat.valuation_box, as
-- set_box.sql sets it (COPY takes no parameters). Their land only where plat.valuation_land says so.
copy (
  select
    l.id, (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char", l.price::float8, l.lot_acres,
    l.location[0], l.location[1], l.sold_date, l.listed_date, l.fips, (o.listing_id is not null)::int::"char",
    c.steep_percent::float8, c.frontage_ft::float8, c.flood_percent::float8, c.wetlands_percent::float8
  from listings l
  left join valuation_outliers o on o.listing_id = l.id
  -- Of null nothing is looked up.
  left join comp_land c on c.listing_id = case when current_setting('plat.valuation_land')::boolean then l.id end
  where l.status <> 'OFF_MARKET' and l.lot_acres > 0 and l.price > 0 and l.location is not null and l.fips is not null
    and l.location <@ current_setting('plat.valuation_box')::box
  order by l.id
) to stdout (format binary);

-- name: copy_parcels
-- The parcels of a county (plat.valuation_fips) that can be valued: with acreage and a point, in integers of 1e-7 degree, and
-- what is known of their land.
copy (
  select
    f.property_id, f.location[0], f.location[1], f.effective_acres,
    f.steeper_percent[6]::float8, (f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft)::float8,
    f.flood_zone_percent::float8, f.wetlands_percent::float8
  from parcel_filters f
  where f.fips = current_setting('plat.valuation_fips')::int and f.location is not null and f.effective_acres > 0
) to stdout (format binary);

-- name: copy_valuations
-- Writes valuations, in the order of columns of workers/valuation/write-valuations.ts.
copy valuations (
  fips, property_id, mean_price, mean_ppa, mean_adjusted_price, mean_adjusted_ppa, gini_index, confidence_score, low_price,
  high_price, out_of_support, reach_m, reach_log_acres, level_reach_m, comps, as_of, model_version
) from stdin (format binary)

-- name: delete_valuations
-- Takes away valuations that are about to be written anew.
-- $1 county FIPS int, $2 property ids bigint[], or null for all of the county
delete from valuations where fips = $1 and ($2::bigint[] is null or property_id = any ($2::bigint[]))

-- name: forget_county
-- Forgets a county that has no parcels to value.
-- $1 county FIPS int
delete from valuation_counties where fips = $1

-- name: get_as_of
-- The day as of which parcels are valued when nobody names one: today in UTC, unless all sales and listings come from
-- snapshots; then the day of the latest snapshot.
select to_char(
  case when bool_and(f.as_of is not null) then max(f.as_of) else (now() at time zone 'UTC')::date end, 'YYYY-MM-DD'
) as day
from feeds f
where exists (select from listings l where l.feed_id = f.id)

-- name: get_dirty_state
-- Whether parcels wait to be valued, and whether a job that does it is on its way.
-- $1 version of the model text
-- Returns: due (there are marks), unfitted (there are comps, but no model of that version), open (jobs)
select
  exists (select from valuations_dirty) as due,
  exists (select from listings) and not exists (
    select from valuation_model where parameters ->> 'version' = $1
  ) as unfitted,
  exists (
    select from jobs
    where name in ('valuation.fit', 'valuation.county', 'valuation.refresh') and status in ('queued', 'running')
  ) as open

-- name: hold_model
-- Holds a new model back until the transaction ends. A lock of the table, not of its row: those who wait for it stand in a
-- queue, so that a new model gets its turn between two counties.
lock table valuation_model in share mode

-- name: judge_sales
-- Says anew which of some sales are outliers.
-- $1 the sales uuid[], $2 those of them that are uuid[]
with kept as (
  delete from valuation_outliers where listing_id = any ($1::uuid[]) and listing_id <> all ($2::uuid[])
)
insert into valuation_outliers (listing_id)
select unnest($2::uuid[])
on conflict do nothing

-- name: list_comp_counties
-- The counties that comps in a box are of: plat.valuation_box, as set_box.sql sets it.
select distinct l.fips
from listings l
where l.status <> 'OFF_MARKET' and l.fips is not null and l.location <@ current_setting('plat.valuation_box')::box

-- name: list_comps_on_land
-- The comps of a county of whose parcels nothing is stored, with the parcels of known land whose extents hold their points
-- and whose acreage is what was sold, as in link_comps.sql.
-- $1 county FIPS int, $2 ids of the comps uuid[], or null for all; $3 the largest correction of an acreage, as a share of what was
-- sold float8
-- Returns: id, property_id, x, y (the comp's place in integers of 1e-7 degree), boundary (of the parcel)
select l.id, f.property_id, l.location[0] as x, l.location[1] as y, p.boundary
from listings l
left join comp_land c on c.listing_id = l.id
join parcel_filters f on f.fips = $1 and l.location <@ f.extent
join parcels p on p.fips = $1 and p.property_id = f.property_id and p.boundary is not null
where l.fips = $1 and l.status <> 'OFF_MARKET' and ($2::uuid[] is null or l.id = any ($2)) and c.listing_id is null
  and (
    f.steeper_percent is not null or f.landlocked is not null or f.flood_zone_percent is not null
    or f.wetlands_percent is not null
  )
  and ((l.lot_acres > 0) is not true or abs(f.effective_acres - l.lot_acres) <= $3::float8 * l.lot_acres)
order by l.id, f.property_id

-- name: list_counties
-- The counties that have parcels, or had.
select fips from county_serials order by fips

-- name: list_landed_counties
-- The counties of some of whose parcels the land layers tell. One look at the index a county: `exists` would read all of it.
-- $1 county FIPS int, or null: all
select c.fips
from county_serials c
where ($1::int is null or c.fips = $1) and (select true from parcel_attributes a where a.fips = c.fips limit 1)
order by c.fips

-- name: list_marked_comps
-- The comps at marked places, of the marked sizes, and whether each is of a later day than one that is over: by its own dates, or
-- for its source, which is of today when it is no snapshot. Rows of the arrays belong together.
-- $1 lon, $2 lat float8[], integers of 1e-7 degree, $3 acres float8[], $4 the day date
-- Returns: id, fips, later
select distinct
  l.id, l.fips,
  $4::date < (now() at time zone 'UTC')::date
    and greatest(coalesce(f.as_of, 'infinity'), l.sold_date, l.listed_date) > $4::date as later
from unnest($1::float8[], $2::float8[], $3::float8[]) as m (lon, lat, acres)
join listings l on l.location <@ box(point(m.lon, m.lat), point(m.lon, m.lat)) and l.lot_acres = m.acres
join feeds f on f.id = l.feed_id
where l.status <> 'OFF_MARKET' and l.fips is not null

-- name: list_marked_sales
-- The sales at marked places, of the marked sizes. Rows of the arrays belong together.
-- $1 lon, $2 lat float8[], integers of 1e-7 degree, $3 acres float8[]
-- Returns: id, fips, sold_date, acres, price, and what is known of the land
select distinct
  l.id, l.fips, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date, l.lot_acres as acres, l.price::float8 as price,
  c.steep_percent::float8 as "steepPercent", c.frontage_ft::float8 as "frontageFt", c.flood_percent::float8 as "floodPercent",
  c.wetlands_percent::float8 as "wetlandsPercent"
from unnest($1::float8[], $2::float8[], $3::float8[]) as m (lon, lat, acres)
join listings l on l.location <@ box(point(m.lon, m.lat), point(m.lon, m.lat)) and l.lot_acres = m.acres
left join comp_land c on c.listing_id = l.id
where l.status = 'SOLD' and l.status <> 'OFF_MARKET' and l.fips is not null and l.price > 0 and l.sold_date is not null

-- name: list_marks
-- What merges, and the chunks that compute what the land layers tell, have marked.
select id, fips, location[0] as lon, location[1] as lat, acres, land_of from valuations_dirty order by id

-- name: list_parcel_comps
-- The comps that are or may be of some parcels of a county.
-- $1 county FIPS int, $2 property ids bigint[]
-- Returns: id, lon, lat (integers of 1e-7 degree), acres
with ids as (
  select c.listing_id as id from comp_land c where c.fips = $1 and c.property_id = any ($2)
  union
  select l.id
  from parcel_filters f
  join listings l on l.location <@ f.extent and l.fips = $1 and l.status <> 'OFF_MARKET'
  where f.fips = $1 and f.property_id = any ($2)
)
select l.id, l.location[0] as lon, l.location[1] as lat, l.lot_acres as acres
from ids
join listings l using (id)
where l.status <> 'OFF_MARKET' and l.location is not null and l.lot_acres > 0

-- name: list_reached_counties
-- The counties some of whose valuations could depend on comps at these places.
-- $1 lon, $2 lat float8[], integers of 1e-7 degree
select distinct c.fips
from unnest($1::float8[], $2::float8[]) as p (lon, lat)
cross join valuation_counties c
cross join lateral (
  -- A degree of latitude has at least 110,574 m (WGS84, at the equator).
  select c.reach_m * 1e7 / 110574 as north, c.reach_m * 1e7 / 110574 / cosd(least(85, abs(p.lat) / 1e7 + 5)) as east
) as half
where c.extent && box(point(p.lon - half.east, p.lat - half.north), point(p.lon + half.east, p.lat + half.north))
order by c.fips

-- name: list_used_comps
-- What the comps of a valuation are, in the order of the ids; one that its feed has taken back since is missing.
-- $1 ids uuid[]
select
  l.id, l.status, l.price::float8 as price, l.lot_acres as lot_size, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date
from unnest($1::uuid[]) with ordinality as used (id, place)
join listings l on l.id = used.id
order by used.place

-- name: lock_county
-- Waits for those who write a county's valuations, and holds the others back until the transaction ends; FIPS 0 stands for
-- the model.
-- $1 first of the pair of advisory locks int, $2 county FIPS int
select pg_advisory_xact_lock($1, $2)

-- name: mark_counties
-- Marks counties that are to be valued as a whole.
-- $1 FIPS int[]
insert into valuations_dirty (fips)
select unnest($1::int[])

-- name: mark_land
-- Marks parcels of a county whose land is known to be other than it was, or the county, when they are many.
-- $1 county FIPS int, $2 property ids bigint[], $3 most parcels that are marked one by one int
insert into valuations_dirty (fips, land_of)
select $1::int, property_id
from unnest($2::bigint[]) as property_id
where cardinality($2::bigint[]) <= $3::int
union all
select $1, 0
where cardinality($2::bigint[]) > $3::int
  and not exists (select from valuations_dirty where fips = $1 and land_of = 0)

-- name: read_county
-- Where the parcels of a county are that were valued, and how far away a comp can be that matters to them.
-- $1 county FIPS int
-- Returns: west, south, east, north (integers of 1e-7 degree), reaches (of each cell of the county, packed)
select (extent[1])[0] as west, (extent[1])[1] as south, (extent[0])[0] as east, (extent[0])[1] as north, reaches
from valuation_counties
where fips = $1

-- name: read_model
-- The model that was fitted last.
-- $1 when the one was fitted that is at hand text, or null
-- Returns: as_of, fitted_at, parameters (null for the one at hand)
select
  to_char(as_of, 'YYYY-MM-DD') as as_of, fitted_at::text as fitted_at,
  case when fitted_at::text is distinct from $1::text then parameters end as parameters
from valuation_model

-- name: read_valuations
-- What parcels are worth by the sales around them, as it is answered; null figures where no relevant comps were found, no
-- row for a parcel that is unknown or has left the roll.
-- $1 fips int[], $2 property ids bigint[], each once; $3 whether the comps are wanted boolean
select
  p.property_id, v.mean_price, v.mean_ppa, v.mean_adjusted_price, v.mean_adjusted_ppa, v.confidence_score, v.gini_index,
  v.low_price, v.high_price, v.out_of_support, case when $3::boolean then v.comps end as comps, to_char(v.as_of, 'YYYY-MM-DD') as as_of, v.model_version
from unnest($1::int[], $2::bigint[]) as asked (fips, property_id)
join parcels p on p.fips = asked.fips and p.property_id = asked.property_id
left join valuations v on v.fips = asked.fips and v.property_id = asked.property_id
where p.retired_at is null

-- name: set_box
-- Says which comps copy_comps_around.sql copies, until the transaction ends.
-- $1 west, $2 south, $3 east, $4 north float8, integers of 1e-7 degree; $5 whether their land is wanted boolean
select
  set_config('plat.valuation_box', box(point($1::float8, $2::float8), point($3::float8, $4::float8))::text, true),
  set_config('plat.valuation_land', $5::boolean::text, true)

-- name: set_county
-- Says whose parcels copy_parcels.sql copies, until the transaction ends.
-- $1 county FIPS int
select set_config('plat.valuation_fips', $1::text, true)

-- name: store_comp_land
-- Stores what is known of the land of comps whose parcels were found by their points. Rows of the arrays belong together.
-- $1 county FIPS int, $2 ids of comps uuid[], $3 of their parcels bigint[]
insert into comp_land (
  listing_id, fips, property_id, steep_percent, frontage_ft, flood_percent, wetlands_percent
)
select
  c.id, f.fips, f.property_id, f.steeper_percent[6],
  f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft, f.flood_zone_percent, f.wetlands_percent
from unnest($2::uuid[], $3::bigint[]) as c (id, property_id)
join parcel_filters f on f.fips = $1 and f.property_id = c.property_id

-- name: store_county
-- Remembers where the parcels of a county are that were valued, and how far away a comp can be that matters to them.
-- $1 county FIPS int, $2 west, $3 south, $4 east, $5 north float8 (integers of 1e-7 degree), $6 metres of the farthest float8,
-- $7 of each cell of the county, packed bytea
insert into valuation_counties (fips, extent, reach_m, reaches)
values ($1, box(point($2::float8, $3::float8), point($4::float8, $5::float8)), $6, $7)
on conflict (fips) do update
set extent = excluded.extent, reach_m = excluded.reach_m, reaches = excluded.reaches

-- name: store_model
-- Replaces the model.
-- $1 as-of day date, $2 parameters jsonb
insert into valuation_model (as_of, parameters, fitted_at)
values ($1, $2, clock_timestamp())
on conflict (only_row) do update
set as_of = excluded.as_of, parameters = excluded.parameters, fitted_at = excluded.fitted_at

-- name: store_outliers
-- The sales that a fit left out.
-- $1 ids uuid[]
insert into valuation_outliers (listing_id) select unnest($1::uuid[])

-- name: watch_jobs
-- How far some jobs are.
-- $1 ids uuid[]
-- Returns: progress (of them all, 0 to 1), open and failed (jobs), parcels and valued (of those that are done), error (of one
-- that failed, or null)
select
  coalesce(avg(case when status = 'done' then 1 else progress end), 1)::float8 as progress,
  count(*) filter (where status in ('queued', 'running'))::int as open,
  count(*) filter (where status = 'failed')::int as failed,
  coalesce(sum((result ->> 'parcels')::int) filter (where status = 'done'), 0)::int as parcels,
  coalesce(sum((result ->> 'valued')::int) filter (where status = 'done'), 0)::int as valued,
  min(error) filter (where status = 'failed') as error
from jobs
where id = any ($1::uuid[])

-- name: widen_county
-- Notes that some of a county's valuations depend on comps farther away.
-- $1 county FIPS int, $2 metres of the farthest float8, $3 of each cell of the county, packed bytea
update valuation_counties set reach_m = greatest(reach_m, $2), reaches = $3 where fips = $1
