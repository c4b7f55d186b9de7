-- A page of comps. Planned by its very values: a condition whose parameter is null costs nothing, the others find their index.
-- {{place}}: what the list is ordered by, null for unknown. {{beyond}}: > or <, with {{direction}}: asc or desc, to read on from a
-- place or back from it.
-- $1 FIPS; $2 ZIP; $3 box[] within a polygon and $4 ids of the comps near its outline that lie in it;
-- $5 box[] around a circle, $6 its centre's distance from the earth's axis and $7 height over the equator in metres, $8 longitude,
-- $9 and $10 squares of the chords that end surely within and surely outside, $11 ids known to lie outside;
-- $12 statuses; $13 most days since the sale; $14 today; $15 and $16 days on market; $17 and $18 acres; $19 photographs;
-- $20 whether to count; $21 the place (Infinity for unknown) and $22 its id, null for none; $23 most rows; $24 rows to skip
-- Returns one row at least: the total (null when not counted), the comps on the rim of the circle that need an exact look, and
-- a comp beside them where the page has one.
with hits as materialized (
  select id, place, dom, chord_squared
  from (
    -- Chords by cylinder coordinates, which lose no digits near the centre. The parametric latitude has the tangent t, so that
    -- the axis is a / sqrt(1 + t^2) away. Each `offset 0` keeps what is computed from being computed again where it is used.
    select id, place, dom,
      case when $5::box[] is not null then
        (axis - $6::float8) * (axis - $6)
        + 4 * axis * $6 * half_sine * half_sine
        + (t * axis * (6356752.314245179 / 6378137)::float8 - $7::float8) * (t * axis * (6356752.314245179 / 6378137)::float8 - $7)
      end as chord_squared
    from (
      select id, place, dom, half_sine, t, 6378137 / sqrt(1 + t * t) as axis
      from (
        select
          l.id,
          coalesce({{place}}, 'Infinity') as place,
          d.dom,
          tan(radians(l.location[1] / 1e7)) * (6356752.314245179 / 6378137)::float8 as t,
          sin(radians(l.location[0] / 1e7 - $8::float8) / 2) as half_sine
        from listings l
        cross join lateral (
          select case when l.status = 'ACTIVE' then $14::date else coalesce(l.status_date, l.sold_date) end as day
        ) as latest
        cross join lateral (
          select
            nullif(l.lot_acres, 0) as acres,
            nullif(l.price, 0)::float8 as price,
            coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as dom
        ) as d
        where l.status <> 'OFF_MARKET'
          and ($1::int is null or l.fips = $1)
          and ($2::text is null or l.zip = $2)
          and ($3::box[] is null or l.location <@ any ($3) or l.id = any ($4::uuid[]))
          and ($5::box[] is null or l.location <@ any ($5))
          and l.id <> all ($11::uuid[])
          and ($12::text[] is null or l.status = any ($12))
          and ($13::int is null or (l.status = 'SOLD' and l.sold_date between $14 - $13 and $14))
          and ($15::int is null or d.dom >= $15)
          and ($16::int is null or d.dom <= $16)
          and ($17::float8 is null or d.acres >= $17)
          and ($18::float8 is null or d.acres <= $18)
          and ($19::int is null or cardinality(l.photos) >= $19)
        offset 0
      ) as candidates
      offset 0
    ) as parallels
    offset 0
  ) as measured
  where $5 is null or chord_squared <= $10::float8
), page as (
  select id, place, dom
  from hits
  where $22::uuid is null or (place, id) {{beyond}} ($21::float8, $22)
  order by place {{direction}}, id {{direction}}
  limit $23 offset $24
)
select t.total, t.doubtful, nullif(p.place, 'Infinity') as place,
  l.id, l.source, l.status, l.address, l.city, l.state, l.zip, l.county, l.apn,
  l.location[0] as lon_e7, l.location[1] as lat_e7, nullif(l.lot_acres, 0) as lot_size, l.price::float8 as price,
  case when l.status = 'SOLD' then l.sold_date end as sold_date, p.dom as days_on_market,
  l.sale_type, l.url, to_json(l.photos) as photos
from (
  select
    case when $20::boolean then (select count(*)::int from hits) end as total,
    (
      select json_agg(json_build_array(l.id, l.location[0], l.location[1]))
      from hits join listings l using (id)
      where hits.chord_squared > $9::float8
    ) as doubtful
) as t
left join (page p join listings l using (id)) on true
order by p.place {{direction}}, p.id {{direction}}
