-- The parcels whose extent meets the boxes along a shape's outline, with their boundaries, to be tested one by one.
-- Those that an inner box takes in need no test.
-- `from`, `where`: parcel_filters f, and the filter's other predicates.
-- Parameters: `edge` and `inner` boxes in 1e-7 degrees, `limit`, and those of the predicates.
-- `offset 0` keeps the look-ups apart: a box at a time by the index on extents, then a boundary at a time by its key.
-- The planner takes 0.5 % of all parcels for what meets a box, and would rather read them all.
select c.property_id, b.boundary
from (
  select distinct near.fips, near.property_id
  from unnest({{edge}}::box[]) as e (box)
  cross join lateral (
    select f.fips, f.property_id, f.location
    from {{from}}
    where f.extent && e.box
      and {{where}}
    offset 0
  ) near
  where (near.location <@ any ({{inner}}::box[])) is not true
  limit {{limit}}
) c
cross join lateral (
  select p.boundary from parcels p where p.fips = c.fips and p.property_id = c.property_id offset 0
) b
where b.boundary is not null;
