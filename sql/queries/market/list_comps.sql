-- A page of comps, planned for the actual parameter values. {{figures}}: comp_figures. {{where}}: the filter.
-- {{place}}: the sort key, null if unknown. {{beyond}}: whether a comp is after `after_id`, the last comp of
-- the previous page, whose sort key is `after_place` (Infinity if unknown). The first page has no `after_id`.
-- {{hits}}: `materialized`, or `not materialized` to read comps in order of id until the page is full.
-- Returns at least one row, because each row includes the total.
with hits as {{hits}} (
  select l.id, coalesce({{place}}, 'Infinity') as place, d.dom
  from {{figures}}
  where {{where}}
), page as (
  select id, place, dom
  from hits
  where :after_id::uuid is null or {{beyond}}
  order by place {{direction}}, id {{direction}}
  limit :limit offset :offset
)
select t.total, nullif(p.place, 'Infinity') as place,
  l.id, l.source, l.status, l.address, l.city, l.state, l.zip, l.county, l.apn,
  l.location[0] as lon_e7, l.location[1] as lat_e7, nullif(l.lot_acres, 0) as lot_size, l.price::float8 as price,
  case when l.status = 'SOLD' then l.sold_date end as sold_date, p.dom as days_on_market,
  l.sale_type, l.url, to_json(l.photos) as photos
from (select case when :with_total::boolean then (select count(*)::int from hits) end as total) as t
left join (page p join listings l using (id)) on true
order by p.place {{direction}}, p.id {{direction}}
