-- name: delete_market
-- Deletes a saved market. Returns no row if the company doesn't have it.
delete from saved_markets
where id = :market_id and company_id = (select company_id from accounts where id = :account_id)
returning id

-- name: find_region_by_id
-- Whether a region with this id exists.
select id from regions where id = :region_id

-- name: list_markets
-- The saved markets of the caller's company, in their saved order.
select m.id, m.status, m.created_at, m.updated_at,
  r.id as region_id, r.type, r.code, r.name, r.state, r.county_name
from saved_markets m
join regions r on r.id = m.region_id
where m.company_id = (select company_id from accounts where id = :account_id)
order by m.position, m.id

-- name: lock_company
-- Allows one call at a time to save markets for a company, until its transaction ends.
select id from companies where id = (select company_id from accounts where id = :account_id) for update

-- name: save_market
-- Saves a region at the end of a company's list, or updates it in place. Returns no row if the region is
-- unknown or the company has too many markets. Run it under lock_company. `status`: null for no status, or to
-- keep the current one. `limit`: markets per company.
with saved as (
  insert into saved_markets as m (company_id, region_id, status, position)
  select :company_id, r.id, coalesce(:status, ''), (select coalesce(max(position), 0) + 1 from saved_markets where company_id = :company_id)
  from regions r
  where r.id = :region_id
    and (
      (select count(*) from saved_markets where company_id = :company_id) < :limit
      or exists (select 1 from saved_markets where company_id = :company_id and region_id = :region_id)
    )
  on conflict (company_id, region_id) do update
  set status = coalesce(:status, m.status),
    updated_at = case when :status is distinct from m.status and :status is not null then now() else m.updated_at end
  -- An inserted row has no xmax. An updated row has one.
  returning *, m.xmax = 0 as created
)
select m.id, m.status, m.created_at, m.updated_at, m.created,
  r.id as region_id, r.type, r.code, r.name, r.state, r.county_name
from saved m
join regions r on r.id = m.region_id

-- name: view_markets
-- Records that a user has seen the current figures of saved markets. Returns them with the figures of the
-- previous visit, which are null on the first one. A visit ends after 30 minutes without a page.
insert into market_views as v (market_id, user_id, seen_at, figures)
select m.id, :user_id, now(), s.figures
from saved_markets m
join regions r on r.id = m.region_id
join region_stats s using (type, code)
where m.id = any (:market_ids::uuid[])
order by m.id
on conflict (market_id, user_id) do update
set before_at = case when v.seen_at < now() - interval '30 minutes' then v.seen_at else v.before_at end,
  before_figures = case when v.seen_at < now() - interval '30 minutes' then v.figures else v.before_figures end,
  seen_at = now(),
  figures = case when v.figures = excluded.figures then v.figures else excluded.figures end
returning v.market_id as id, v.figures, v.before_at, v.before_figures
