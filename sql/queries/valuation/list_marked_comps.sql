-- The comps at marked places, of the marked sizes, and whether each is of a later day than one that is over: by its own dates, or
-- for its source, which is of today when it is no snapshot. Rows of the arrays belong together.
-- $1 lon, $2 lat float8[], integers of 1e-7 degree, $3 acres float8[], $4 the day date
-- Returns: id, fips, later
select distinct
  l.id, l.fips,
  $4::date < (now() at time zone 'UTC')::date
    and greatest(coalesce(f.as_of, 'infinity'), l.sold_date, l.listed_date) > $4::date as later
from unnest($1::float8[], $2::float8[], $3::float8[]) as m (lon, lat, acres)
join listings l on l.location <@ box(point(m.lon, m.lat), point(m.lon, m.lat)) and l.lot_acres = m.acres
join feeds f on f.id = l.feed_id
where l.status <> 'OFF_MARKET' and l.fips is not null
