-- Stages the files of a layer of heights.
-- $1 feed id int, $2 tiles json: a list of objects with the columns of elevation_tiles but feed_id
insert into stage_tile
select
  $1, t.source, t.fingerprint, t.extent::box, t.width, t.height, t.origin_x, t.origin_y, t.step_x, t.step_y, t.crs,
  t.unit_m, t.nodata
from json_to_recordset($2::json) as t (
  source text, fingerprint text, extent text, width int, height int, origin_x float8, origin_y float8, step_x float8,
  step_y float8, crs text, unit_m float8, nodata float8
)
