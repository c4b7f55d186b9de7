-- The saved markets of a caller's company in their pinned order. $1 account id
select m.id, m.status, m.created_at, m.updated_at,
  r.id as region_id, r.type, r.code, r.name, r.state, r.county_name
from saved_markets m
join regions r on r.id = m.region_id
where m.company_id = (select company_id from accounts where id = $1)
order by m.position, m.id
