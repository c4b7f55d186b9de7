-- Counties with more landlocked parcels, of those whose frontage is known, than are plausible.
-- $1 county FIPS int or null for all, $2 known parcels int that it takes to tell, $3 percent from which on it is told
-- Returns: fips, name, state, known, landlocked
select p.fips, r.name, r.state, p.known, p.landlocked
from (
  select fips, count(landlocked)::int as known, count(*) filter (where landlocked)::int as landlocked
  from parcel_filters
  where $1::int is null or fips = $1
  group by fips
) p
left join regions r on r.type = 'county' and r.fips = p.fips
where p.known >= $2::int and 100.0 * p.landlocked > $3::int * p.known
order by p.fips
