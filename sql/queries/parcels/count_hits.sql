-- How many parcels a filter finds and, when they are few, the first of them: one pass over the narrow rows.
-- A page of its own would have to look at all of the county once more to find the few hits in it. Many hits are close
-- together, and list_hits.sql finds the first of them at once.
-- `from`, `where`: the tables and the predicates of the filter; `ids`: array_agg(f.property_id), or null where hits
-- cannot be few. `hits`, `order`: how a list of ids is read in its order.
-- Parameters: `most` hits that count as few, `offset` and `limit` of the page, and those of the predicates.
-- One row a hit; one row of null where none is given.
with found as (
  select count(*) as count, {{ids}} as ids
  from {{from}}
  where {{where}}
)
select found.count, page.property_id, page.effective_acres
from found
left join lateral (
  select f.property_id, f.effective_acres
  from {{hits}}
  where found.count <= {{most}}
  order by {{order}}
  offset {{offset}} limit {{limit}}
) page on true;
