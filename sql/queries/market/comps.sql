-- name: list_addresses
-- Addresses of comps by their ids.
select id, address from listings where id = any (:ids::uuid[])

-- name: comp_figures
-- Part of statements: listings `l` with the figures `d` as they are shown.
listings l
cross join lateral (
  select case when l.status = 'ACTIVE' then :today::date else coalesce(l.status_date, l.sold_date) end as day
) as latest
cross join lateral (
  select
    -- As it is shown.
    nullif(round(l.lot_acres::numeric, 6)::float8, 0) as acres,
    nullif(l.price, 0)::float8 as price,
    coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as dom
) as d

-- name: list_outline_comps
-- Comps in boxes along an outline, as one value, which is faster to read than rows. `boxes`: box[] of 1e-7
-- degrees.
select coalesce(json_agg(json_build_array(id, location[0], location[1])), '[]') as near
from (
  select id, location
  from listings
  where status <> 'OFF_MARKET' and location <@ any (:boxes::box[])
  limit :limit
) outline
