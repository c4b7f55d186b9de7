-- A page of comps, planned for the actual parameter values. {{figures}}: comp_figures. {{where}}: the filter.
-- {{place}}: the sort key, null if unknown. {{beyond}}: > or <, to match {{direction}}. The page starts after
-- the comp with the sort key `after_place` (Infinity if unknown) and the id `after_id`, or with the first
-- comp if they are null. Returns at least one row, because each row includes the total.
with hits as materialized (
  select l.id, coalesce({{place}}, 'Infinity') as place, d.dom
  from {{figures}}
  where {{where}}
), page as (
  select id, place, dom
  from hits
  where :after_id::uuid is null or (place, id) {{beyond}} (:after_place::float8, :after_id)
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
