-- name: delete_market
-- No row when the company has no such market. $1 account id, $2 market id
delete from saved_markets
where id = $2 and company_id = (select company_id from accounts where id = $1)
returning id

-- name: find_region
-- Whether there is a region with this id. $1 region id
select id from regions where id = $1

-- name: list_markets
-- The saved markets of a caller's company in their pinned order. $1 account id
select m.id, m.status, m.created_at, m.updated_at,
  r.id as region_id, r.type, r.code, r.name, r.state, r.county_name
from saved_markets m
join regions r on r.id = m.region_id
where m.company_id = (select company_id from accounts where id = $1)
order by m.position, m.id

-- name: lock_company
-- Lets one call at a time save markets of a company, until the end of its transaction. $1 account id Returns the company's id.
select id from companies where id = (select company_id from accounts where id = $1) for update

-- name: save_market
-- Saves a region for a company, at the end of its list; one that is saved already keeps its place. No row when it is unknown or the company has as many as
-- it may. Run it under lock_company. $1 company id, $2 region id, $3 status or null for none or as it is, $4 most markets of a company
with saved as (
  insert into saved_markets as m (company_id, region_id, status, position)
  select $1, r.id, coalesce($3, ''), (select coalesce(max(position), 0) + 1 from saved_markets where company_id = $1)
  from regions r
  where r.id = $2
    and (
      (select count(*) from saved_markets where company_id = $1) < $4
      or exists (select 1 from saved_markets where company_id = $1 and region_id = $2)
    )
  on conflict (company_id, region_id) do update
  set status = coalesce($3, m.status),
    updated_at = case when $3 is distinct from m.status and $3 is not null then now() else m.updated_at end
  -- A row of an insert has no xmax, one of an update has.
  returning *, m.xmax = 0 as created
)
select m.id, m.status, m.created_at, m.updated_at, m.created,
  r.id as region_id, r.type, r.code, r.name, r.state, r.county_name
from saved m
join regions r on r.id = m.region_id
