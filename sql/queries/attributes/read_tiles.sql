-- The files of elevation layers in some places.
-- $1 feed ids int[], $2 boxes in 1e-7 degrees text[]
select
  source, fingerprint, width, height, origin_x as "originX", origin_y as "originY", step_x as "stepX",
  step_y as "stepY", crs, unit_m as "unitM", nodata
from elevation_tiles t
where feed_id = any ($1)
  and exists (select from unnest($2::text[]) place where t.extent && place::box)
order by feed_id, source
