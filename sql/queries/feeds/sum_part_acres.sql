-- For parcels that have several rows with different acreages, replaces the first row's acreage with the sum
-- of the distinct values, or of all rows, if that is closer to the measured area. The hash is updated too, so
-- that a changed part counts as a change of the parcel.
with parts as (
  select
    r.ctid as place, s.calculated_acres, r.acres as own,
    (r.acres::numeric + coalesce(sum(d.acres::numeric) filter (where not d.identical), 0))::float8 as of_different,
    (r.acres::numeric + sum(d.acres::numeric))::float8 as of_all
  from stage_roll r
  join stage_removed d using (fips, key, input)
  join stage_shape s using (fips, key)
  where r.acres > 0
  group by r.ctid, r.acres, s.calculated_acres
  having bool_and(d.acres > 0) and bool_or(d.acres <> r.acres)
),
best as (
  select place, own, case when abs(of_all - calculated_acres) < abs(of_different - calculated_acres) then of_all else of_different end
    as summed, calculated_acres
  from parts
)
update stage_roll r
set acres = b.summed, hash = md5(r.hash || ' ' || b.summed)::uuid
from best b
where r.ctid = b.place and abs(b.summed - b.calculated_acres) < abs(b.own - b.calculated_acres)
