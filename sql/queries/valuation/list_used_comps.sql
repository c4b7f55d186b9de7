-- What the comps of a valuation are, in the order of the ids; one that its feed has taken back since is missing.
-- $1 ids uuid[]
select
  l.id, l.status, l.price::float8 as price, l.lot_acres as lot_size, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date
from unnest($1::uuid[]) with ordinality as used (id, place)
join listings l on l.id = used.id
order by used.place
