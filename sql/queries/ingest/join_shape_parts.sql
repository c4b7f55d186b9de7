-- Replaces the features of one parcel by their union.
-- $1 fips int, $2 key text, $3 row_no bigint of the first feature, $4 hash uuid, $5 location point, $6 extent box,
-- $7 acres double precision, $8 boundary bytea
with others as (
  delete from stage_shape
  where fips = $1 and key = $2 and row_no <> $3
)
update stage_shape
set hash = $4, location = $5, extent = $6, calculated_acres = $7, boundary = $8
where fips = $1 and key = $2 and row_no = $3
