-- name: add_call
-- Records a call to the owner of a row. `number_hash`: HMAC of the number. Returns its time.
insert into list_calls (list_id, property_id, called_at, outcome, number_hash, user_id)
select :list_id, property_id, clock_timestamp(), :outcome, :number_hash, :user_id
from list_rows
where list_id = :list_id and property_id = :property_id
returning to_char(called_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as called_at

-- name: delete_call
-- Removes a call that was logged by mistake, if it is the row's last one. Returns its outcome.
delete from list_calls c
where c.list_id = :list_id and c.property_id = :property_id and c.called_at = :called_at::timestamptz
  and not exists (
    select from list_calls later
    where later.list_id = c.list_id and later.property_id = c.property_id and later.called_at > c.called_at
  )
returning c.outcome

-- name: list_last_calls
-- The last call to each row of a list that was called, with the hashes of its wrong numbers.
select property_id, count(*)::int as calls, max(called_at) as called_at,
  (array_agg(outcome order by called_at desc))[1] as outcome,
  coalesce(array_agg(distinct number_hash) filter (where outcome = 'wrong_number'), '{}') as wrong_numbers
from list_calls
where list_id = :list_id
group by property_id

-- name: list_traced_rows
-- The rows of a list whose owners' numbers a company has looked up on pages in the last 30 days.
select distinct r.property_id
from accounts a
join idempotent_calls c on c.account_id = a.id and c.key like 'page trace/%' and c.status is not null
  and c.created_at > now() - c.kept_hours * interval '1 hour'
join list_rows r on r.list_id = :list_id and r.property_id = substring(c.key from '^page trace/(\d{1,15})/')::bigint
where a.company_id = :company_id
order by r.property_id

-- name: list_uncallable_rows
-- The rows of a list whose owners asked the company not to call them. Fragments: members, owners.
with {{members}},
{{owners}}
select distinct o.property_id
from do_not_call d
join owned o on d.owner_key in (o.owner_key, o.owner)
where d.company_id = :company_id

-- name: mark_do_not_call
-- Marks owners as do-not-call for the company. `owner_keys`: all keys of these owners.
insert into do_not_call (company_id, owner_key)
select distinct :company_id::uuid, k
from unnest(:owner_keys::uuid[]) k
on conflict do nothing

-- name: unmark_do_not_call
-- Removes the do-not-call marks of owners.
delete from do_not_call where company_id = :company_id and owner_key = any (:owner_keys::uuid[])
