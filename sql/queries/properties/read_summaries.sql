-- Reads parcels of one county for a list, by their ids: a county known beforehand spares the planner the other states.
-- One that has been retired meanwhile is still there.
-- Fragments: summary, the columns of a summary. $1 fips int, $2 property ids bigint[]
select {{summary}}
from parcels p
where p.fips = $1::int and p.property_id = any ($2::bigint[])
order by p.property_id
