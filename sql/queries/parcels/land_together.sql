-- name: extra_acres
-- A fragment for other statements: the acres that a sum counts more than once because parcels with the same
-- boundary, such as condominium units, share the land. Some rolls state the full acreage for each unit,
-- others the unit's share. `acresTogether` does the same in TypeScript. Fragments: `of` (the key to sum by);
-- `from` and `where` (the parcels, with an alias `f` that has the columns of parcel_filters); `counties` (the
-- counties in `where`, for the alias `p`, so that a cluster queries only their shards).
select stack.summed_by, sum(stack.stated - least(stack.stated, greatest(stack.largest, p.calculated_acres))) as acres
from (
  select {{of}} as summed_by, f.fips, min(f.property_id) as property_id, sum(f.effective_acres) as stated,
    max(f.effective_acres) as largest
  from {{from}}
  where area(f.extent) > 0 and ({{where}})
  group by 1, f.fips, f.location[0], f.location[1], area(f.extent)
  having count(*) > 1
) stack
join parcels p on p.fips = stack.fips and p.property_id = stack.property_id and {{counties}}
group by stack.summed_by

-- name: sum_hits
-- How many parcels a filter finds, and their acres, by class. `extra`: acres in all classes that were counted
-- more than once. Fragments: class; the filter's from (with its joins) and where; extra_acres.
select h.class, h.count, h.acres, coalesce(extra.acres, 0) as extra
from (
  select {{class}} as class, count(*)::int as count, coalesce(sum(f.effective_acres), 0)::float8 as acres
  from {{from}}
  {{join}}
  where {{where}}
  group by 1
) h
left join ({{extra_acres}}) extra on true;
