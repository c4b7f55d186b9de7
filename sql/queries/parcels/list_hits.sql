-- A page of the parcels that a filter finds.
-- `from`, `where`: the tables and the predicates of the filter, and the place where the page begins; `order`.
-- Parameters: `offset` and `limit`, and those of the predicates.
select f.property_id, f.effective_acres
from {{from}}
where {{where}}
order by {{order}}
offset {{offset}} limit {{limit}};
