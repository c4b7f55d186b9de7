-- name: extra_acres
-- Part of statements: the acres that a sum counts too often, because parcels on one boundary, such as
-- condominium units, share its land. Some rolls state all of the land for each unit, others the unit's share.
-- `acresTogether` is the same in TypeScript. Sorting one number for each parcel tells first which places may
-- have several; to group all parcels of a county by their exact places takes twice as long. Places: `of`,
-- what is summed separately; `from` and `where`, the parcels, whose `f` has columns of parcel_filters.
select stack.summed_by, sum(stack.stated - least(stack.stated, greatest(stack.largest, p.calculated_acres))) as acres
from (
  select {{of}} as summed_by, f.fips, min(f.property_id) as property_id, sum(f.effective_acres) as stated,
    max(f.effective_acres) as largest
  from {{from}}
  where area(f.extent) > 0 and ({{where}})
    and f.fips::bigint << 32 | (hashfloat8(f.location[0]) # hashfloat8(f.location[1])) in (
      select place
      from (
        select f.fips::bigint << 32 | (hashfloat8(f.location[0]) # hashfloat8(f.location[1])) as place
        from {{from}}
        where area(f.extent) > 0 and ({{where}})
        order by 1
      ) sorted
      group by place
      having count(*) > 1
    )
  group by 1, f.fips, f.location[0], f.location[1], area(f.extent)
  having count(*) > 1
) stack
join parcels p on p.fips = stack.fips and p.property_id = stack.property_id
group by stack.summed_by

-- name: sum_hits
-- How many parcels a filter finds and their acres, by class; `extra`: the acres of all classes that were
-- counted too often. Places: class, from, its joins and where of the filter, and extra_acres.
select h.class, h.count, h.acres, coalesce(extra.acres, 0) as extra
from (
  select {{class}} as class, count(*)::int as count, coalesce(sum(f.effective_acres), 0)::float8 as acres
  from {{from}}
  {{join}}
  where {{where}}
  group by 1
) h
left join ({{extra_acres}}) extra on true;
