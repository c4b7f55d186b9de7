-- Brings the files of a layer of heights to those of the run. There are at most some thousands: all are written anew.
-- $1 feed id int
with gone as (
  delete from elevation_tiles t
  where t.feed_id = $1 and not exists (select from stage_tile s where s.source = t.source)
)
insert into elevation_tiles
select *
from stage_tile
on conflict (feed_id, source) do update
set
  fingerprint = excluded.fingerprint,
  extent = excluded.extent,
  width = excluded.width,
  height = excluded.height,
  origin_x = excluded.origin_x,
  origin_y = excluded.origin_y,
  step_x = excluded.step_x,
  step_y = excluded.step_y,
  crs = excluded.crs,
  unit_m = excluded.unit_m,
  nodata = excluded.nodata
