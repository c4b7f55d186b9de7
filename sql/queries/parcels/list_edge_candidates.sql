-- The parcels whose extent meets the boxes along a shape's outline, with their boundaries, to be tested one by one.
-- Those that an inner box takes in need no test.
-- `from`, `where`: parcel_filters f, and the filter's other predicates.
-- Parameters: `edge` and `inner` boxes in 1e-7 degrees, `limit`, and those of the predicates.
select p.property_id, p.boundary
from (
  select distinct f.fips, f.property_id
  from unnest({{edge}}::box[]) as e (box)
  cross join {{from}}
  where f.extent && e.box
    and (f.location <@ any ({{inner}}::box[])) is not true
    and {{where}}
  limit {{limit}}
) c
join parcels p on p.fips = c.fips and p.property_id = c.property_id
where p.boundary is not null;
