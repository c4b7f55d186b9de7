-- Reads parcels of one county for a list, by their ids: those whose primary owner's name matches all patterns; a county
-- known beforehand spares the planner the other states. Whether they are on the roll is not asked: it follows from the
-- version of the owners' words by which the ids were found (list_owner_words.sql). One row at least.
-- Fragments: summary, the columns of a summary. $1 fips int, $2 property ids bigint[], $3 LIKE patterns text[]
select v.version, s.*
from (select (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version) v
left join (
  select {{summary}}
  from parcels p
  where p.fips = $1::int
    and p.property_id = any ($2::bigint[])
    and upper(p.owner_name) like all (array(select upper(pattern) from unnest($3::text[]) pattern))
) s on true
order by s.property_id
