-- name: list_market_values
-- One statistic of one bucket by county, with the other columns of the table beside the map.
select r.code as fips, r.name, r.state, s.listings, (d.data ->> :metric)::float8 as value,
  (d.data ->> 'Active')::int as active, (d.data ->> 'Sold: 1yr')::int as sold, (d.data ->> '1yr STR')::float8 as str
from region_stats s
join regions r on r.type = s.type and r.code = s.code
cross join lateral (
  select b.value -> 'data' as data from jsonb_array_elements(convert_from(s.body, 'UTF8')::jsonb -> 'stats') b
  where b.value ->> 'type' = :bucket
) d
where s.type = 'county' and s.listings > 0
order by r.state, r.name;
