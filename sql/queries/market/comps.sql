-- name: list_comp_places
-- Addresses, parcel numbers, and locations of comps by id. Locations are in degrees.
select id, address, apn, location[0] / 1e7 as lon, location[1] / 1e7 as lat
from listings
where id = any (:ids::uuid[])

-- name: comp_figures
-- A fragment for other statements: listings `l` with their figures `d`, as shown in the app.
listings l
cross join lateral (
  select case when l.status = 'ACTIVE' then :today::date else coalesce(l.status_date, l.sold_date) end as day
) as latest
cross join lateral (
  select
    -- Rounded as in the app.
    nullif(round(l.lot_acres::numeric, 6)::float8, 0) as acres,
    nullif(l.price, 0)::float8 as price,
    coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as dom
) as d

-- name: list_outline_comps
-- Comps in boxes along an outline, as a single value, which is faster to read than rows. `boxes`: box[] of
-- 1e-7 degrees.
select coalesce(json_agg(json_build_array(id, location[0], location[1])), '[]') as near
from (
  select id, location
  from listings
  where status <> 'OFF_MARKET' and location <@ any (:boxes::box[])
  limit :limit
) outline
