-- name: list_outline_comps
-- Comps within boxes along an outline, as one value, which is faster to read than rows. `boxes`: box[] of
-- 1e-7 degrees.
select coalesce(json_agg(json_build_array(id, location[0], location[1])), '[]') as near
from (
  select id, location
  from listings
  where status <> 'OFF_MARKET' and location <@ any (:boxes::box[])
  limit :limit
) outline
