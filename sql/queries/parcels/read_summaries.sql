-- Parcels for a list of results, in the order of their ids. One that has been retired meanwhile is still there.
-- `summary`: the columns of a summary. $1 property ids bigint[]
select {{summary}}
from unnest($1::bigint[]) with ordinality as wanted (property_id, place)
join parcels p on p.fips = (wanted.property_id / 100000000)::int and p.property_id = wanted.property_id
order by wanted.place;
