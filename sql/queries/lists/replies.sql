-- name: find_replied_rows
-- The rows of a company's lists with these parcels, the latest mailing first, with their deals.
select r.list_id, l.name as list_name, r.property_id, r.status, r.note, r.mailed_at, r.price_asked, r.deal_id
from lists l
join list_rows r on r.list_id = l.id
where l.company_id = :company_id and r.property_id = any (:property_ids::bigint[])
order by r.mailed_at desc nulls last, r.added_at desc, l.id
limit 20

-- name: find_traced_parcels
-- The parcels for whose owners a company has looked up this number on pages in the last 30 days.
select distinct substring(c.key from '^page trace/(\d{1,15})/')::bigint as property_id
from accounts a
join idempotent_calls c on c.account_id = a.id and c.key like 'page trace/%' and c.status is not null
  and c.created_at > now() - c.kept_hours * interval '1 hour'
where a.company_id = :company_id and position(:number::text in convert_from(c.body, 'UTF8')) > 0
order by property_id

-- name: list_row_deals
-- The deals that rows of a list became.
select property_id, deal_id
from list_rows
where list_id = :list_id and property_id = any (:property_ids::bigint[]) and deal_id is not null

-- name: set_deal
-- Records the deal that a row became.
update list_rows set deal_id = :deal_id where list_id = :list_id and property_id = :property_id

-- name: count_mailing
-- The letters of a list, the replies to them, and those under contract. `letter_cents`: the cost of a letter,
-- or null. Fragments: members, owners, ranked.
with {{members}},
{{owners}},
{{ranked}}
select
  count(*) filter (where mailed_at is not null)::int as letters,
  count(*) filter (where mailed_at is not null and status in ('answered', 'not_interested', 'under_contract'))::int as replies,
  count(*) filter (where mailed_at is not null and status = 'under_contract')::int as contracts,
  (select letter_cents from lists where id = :list_id) as letter_cents
from ranked
where place = 1 or not :is_grouped::boolean

-- name: set_letter_cost
-- Records what a letter of a list costs, in cents, or null.
update lists set letter_cents = :cents where id = :list_id and company_id = :company_id
