-- Says which comps copy_comps_around.sql copies, until the transaction ends.
-- $1 west, $2 south, $3 east, $4 north float8, integers of 1e-7 degree; $5 whether their land is wanted boolean
select
  set_config('plat.valuation_box', box(point($1::float8, $2::float8), point($3::float8, $4::float8))::text, true),
  set_config('plat.valuation_land', $5::boolean::text, true)
