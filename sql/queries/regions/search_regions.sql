-- A page of the regions that have all the words, counties first, by name. {{words}}: a condition for each pattern ($9 …).
-- {{beyond}}: > or <, with {{direction}}: asc or desc, to read on from a place or back from it.
-- $1 type or null, $2 state or null, $3 whether to count; the place: $4 type or null for none, $5 name, $6 code;
-- $7 most rows, $8 rows to skip
-- Returns one row at least: the total (null when not counted), and a region beside it where the page has one.
with hits as materialized (
  select id, type, code, name, state, county_name
  from regions
  where ($1::text is null or type = $1) and ($2::text is null or state = $2) {{words}}
), page as (
  select *
  from hits
  where $4::text is null or (type, name, code) {{beyond}} ($4, $5::text, $6::text)
  order by type {{direction}}, name {{direction}}, code {{direction}}
  limit $7 offset $8
)
select t.total, p.*
from (select case when $3 then (select count(*)::int from hits) end as total) as t
left join page p on true
order by p.type {{direction}}, p.name {{direction}}, p.code {{direction}}
