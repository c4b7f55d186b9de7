-- A page of comps, planned by its very values. {{place}}: what the list is ordered by, null for unknown. {{beyond}}: > or <, with {{direction}}.
-- $1 FIPS; $2 ZIP; $3 box[] within an area and $4 ids of the comps near its outline that lie in it; $5 and $6 the same of another area; $7 statuses; $8 most
-- days since the sale; $9 today; $10 and $11 days on market; $12 and $13 acres; $14 photographs; $15 whether to
-- count; $16 the place (Infinity for unknown) and $17 its id, null for none; $18 most rows; $19 rows to skip. One row at least, for the total.
with hits as materialized (
  select l.id, coalesce({{place}}, 'Infinity') as place, d.dom
  from listings l
  cross join lateral (
    select case when l.status = 'ACTIVE' then $9::date else coalesce(l.status_date, l.sold_date) end as day
  ) as latest
  cross join lateral (
    select
      -- As it is shown.
      nullif(round(l.lot_acres::numeric, 6)::float8, 0) as acres,
      nullif(l.price, 0)::float8 as price,
      coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as dom
  ) as d
  where l.status <> 'OFF_MARKET'
    and ($1::int is null or l.fips = $1)
    and ($2::text is null or l.zip = $2)
    and ($3::box[] is null or l.location <@ any ($3) or l.id = any ($4::uuid[]))
    and ($5::box[] is null or l.location <@ any ($5) or l.id = any ($6::uuid[]))
    and ($7::text[] is null or l.status = any ($7))
    and ($8::int is null or (l.status = 'SOLD' and l.sold_date between $9::date - $8 and $9))
    and ($10::int is null or d.dom >= $10)
    and ($11::int is null or d.dom <= $11)
    and ($12::float8 is null or d.acres >= $12)
    and ($13::float8 is null or d.acres <= $13)
    and ($14::int is null or cardinality(l.photos) >= $14)
), page as (
  select id, place, dom
  from hits
  where $17::uuid is null or (place, id) {{beyond}} ($16::float8, $17)
  order by place {{direction}}, id {{direction}}
  limit $18 offset $19
)
select t.total, nullif(p.place, 'Infinity') as place,
  l.id, l.source, l.status, l.address, l.city, l.state, l.zip, l.county, l.apn,
  l.location[0] as lon_e7, l.location[1] as lat_e7, nullif(l.lot_acres, 0) as lot_size, l.price::float8 as price,
  case when l.status = 'SOLD' then l.sold_date end as sold_date, p.dom as days_on_market,
  l.sale_type, l.url, to_json(l.photos) as photos
from (select case when $15::boolean then (select count(*)::int from hits) end as total) as t
left join (page p join listings l using (id)) on true
order by p.place {{direction}}, p.id {{direction}}
