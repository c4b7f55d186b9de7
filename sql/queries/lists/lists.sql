-- name: count_rows_of_company
-- Counts a company's lists and their rows. If a list's count is hidden, uses the maximum it could be.
select count(*)::int as lists, coalesce(sum(
  case when l.unread_rows = 'hidden' then l.rows_at_most else (select count(*) from list_rows r where r.list_id = l.id) end
), 0)::int as rows
from lists l
where l.company_id = :company_id

-- name: delete_list
-- Deletes a list of a company with its rows. Returns no row if there is none.
with gone as (
  delete from lists where id = :list_id and company_id = :company_id
  returning id
), forgotten as (
  update lists l set leave_out_lists = array_remove(l.leave_out_lists, g.id)
  from gone g
  where l.company_id = :company_id and l.id <> g.id and g.id = any (l.leave_out_lists)
)
select id from gone

-- name: find_main_county
-- The county with most of a list's parcels. Returns no row if the list has no parcels.
select to_char(property_id / 100000000, 'FM00000') as fips
from list_rows
where list_id = :list_id
group by property_id / 100000000
order by count(*) desc, fips
limit 1;

-- name: find_list
-- A list of a company: its name and last change. Returns no row if the company has no such list.
select id, name, updated_at from lists where id = :list_id and company_id = :company_id

-- name: hide_unread_rows
-- Hides everything about a list's unread rows from the API. `rows`: the row count before this change. `more`:
-- the maximum number of rows that may have been added.
update lists
set unread_rows = 'hidden', rows_at_most = coalesce(rows_at_most, :rows::int) + :more::int
where id = :list_id

-- name: insert_list
-- Creates a list.
insert into lists (
  company_id, name, one_per_owner, one_per_assemblage, offer_percent, offer_percent_high, offer_of, offer_round_to, leave_out_lists,
  mailed_within_days, letter
)
values (
  :company_id, :name, :one_per_owner, :one_per_assemblage, :offer_percent, :offer_percent_high, :offer_of, :offer_round_to, :leave_out_lists::uuid[],
  :mailed_within_days, :letter
)
returning id

-- name: list_counties
-- The counties of a list's parcels, found with one index lookup each.
with recursive counties as (
  select (min(property_id) / 100000000)::int as fips from list_rows where list_id = :list_id
  union all
  select (
    select (r.property_id / 100000000)::int
    from list_rows r
    where r.list_id = :list_id and r.property_id >= (c.fips + 1) * 100000000::bigint
    order by r.property_id
    limit 1
  )
  from counties c
  where c.fips is not null
)
select fips from counties where fips is not null

-- name: list_lists
-- The lists of a company, newest first, or one of them, with the number of rows, and the number of unread
-- rows if the response depends on it. `list_id` may be null.
select l.id, l.name, l.one_per_owner, l.one_per_assemblage, l.offer_percent, l.offer_percent_high, l.offer_of, l.offer_round_to, l.leave_out_lists,
  l.mailed_within_days, l.letter, l.created_at, l.updated_at, l.unread_rows, l.rows_at_most,
  (select count(*) from list_rows r where r.list_id = l.id) as rows,
  case when l.unread_rows = 'named' and not (l.one_per_owner or l.one_per_assemblage) then 0
    else (select count(*) from list_rows r where r.list_id = l.id and r.read_at is null) end as unread
from lists l
where l.company_id = :company_id and (:list_id::uuid is null or l.id = :list_id)
order by l.created_at desc, l.id

-- name: list_named
-- Returns which of these lists the company has, and what may be revealed about their unread rows.
select id, unread_rows from lists where company_id = :company_id and id = any (:list_ids::uuid[])

-- name: lock_lists
-- Allows one call at a time to change the lists of a company, or add to them, until its transaction ends.
-- Returns whether owners were ever marked as do-not-mail, and when rows were last set to mailed.
select has_marked_owners, mailed_at from companies where id = :company_id for no key update

-- name: lock_list
-- Allows one call at a time to change a list and its rows until its transaction ends. Returns no row if the
-- company has no such list.
select id, one_per_owner, one_per_assemblage, leave_out_lists, mailed_within_days, unread_rows, rows_at_most,
  (select count(*) from list_rows where list_id = :list_id) as rows,
  (select count(*) from list_rows where list_id = :list_id and read_at is null) as unread
from lists
where id = :list_id and company_id = :company_id
for no key update

-- name: note_mailing
-- Records that rows were set to mailed or owners were marked as do-not-mail, even if no row matched.
update companies
set has_marked_owners = has_marked_owners or :marks::boolean,
  mailed_at = case when :mails::boolean then now() else mailed_at end
where id = :company_id and (:mails or :marks and not has_marked_owners)

-- name: reveal_list
-- Removes the limits on what the API shows of a list once all of its rows have been read.
update lists l
set unread_rows = 'named', rows_at_most = null
where l.id = :list_id and l.unread_rows <> 'named'
  and not exists (select from list_rows r where r.list_id = l.id and r.read_at is null)

-- name: tell_counts
-- Allows the API to show the number of a list's rows, but not which rows they are.
update lists set unread_rows = 'counted' where id = :list_id and unread_rows = 'named'

-- name: touch_list
-- Records that a list's rows have changed.
update lists set updated_at = now() where id = :list_id

-- name: update_list
-- Writes the settings of a list.
update lists
set name = :name, one_per_owner = :one_per_owner, one_per_assemblage = :one_per_assemblage, offer_percent = :offer_percent,
  offer_percent_high = :offer_percent_high, offer_of = :offer_of, offer_round_to = :offer_round_to, leave_out_lists = :leave_out_lists::uuid[], mailed_within_days = :mailed_within_days,
  letter = :letter,
  updated_at = now()
where id = :list_id and company_id = :company_id
