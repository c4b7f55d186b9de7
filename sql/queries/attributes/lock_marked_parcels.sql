-- Holds the marks of a chunk, in the order in which all that write marks do, so that none waits for another that waits.
-- $1 fips int, $2 chunk bigint
select property_id, mark
from attributes_dirty
where fips = $1 and chunk = $2
order by property_id
for update
