-- name: list_outline_comps
-- Comps in boxes along the outline of a polygon, to be tested one by one. $1 box[] of 1e-7 degrees, $2 most rows
select id, location[0] as lon_e7, location[1] as lat_e7
from listings
where status <> 'OFF_MARKET' and location <@ any ($1::box[])
limit $2
