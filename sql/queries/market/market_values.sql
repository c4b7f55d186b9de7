-- name: list_market_values
-- One statistic of one bucket by region, with the other columns of the table beside the map. `type`: county
-- or zip; `state`, `fips`: of a state, of a county, or null; `carrier`: the statistic that counts the lots
-- that the metric stands on, of which there have to be `least`.
select r.code, r.name, r.state, r.county_name,
  case when (d.data ->> :carrier)::float8 >= :least then (d.data ->> :metric)::float8 end as value,
  (d.data ->> 'Active')::int as active, (d.data ->> 'Sold: 1yr')::int as sold, (d.data ->> '1yr STR')::float8 as str
from region_stats s
join regions r on r.type = s.type and r.code = s.code
cross join lateral (
  select b.value -> 'data' as data from jsonb_array_elements(convert_from(s.body, 'UTF8')::jsonb -> 'stats') b
  where b.value ->> 'type' = :bucket
) d
where s.type = :type and s.listings > 0
  and (:state::text is null or r.state = :state)
  and (:fips::int is null or r.fips = :fips)
order by r.state, r.name, r.code;

-- name: list_saved_values
-- The statistics of one bucket of some regions. `types`, `codes`: of each region.
select s.type, s.code, d.data
from unnest(:types::text[], :codes::text[]) as saved (type, code)
join region_stats s using (type, code)
cross join lateral (
  select b.value -> 'data' as data from jsonb_array_elements(convert_from(s.body, 'UTF8')::jsonb -> 'stats') b
  where b.value ->> 'type' = :bucket
) d
where s.listings > 0;
