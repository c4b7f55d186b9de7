-- name: list_searches
-- Searches of a company, oldest first, with how many notes a user hasn't seen yet. `search_id`: null for all.
-- `user_id`: null for a call with an API key.
select s.id, s.name, s.filter, s.counties, s.notify, s.webhook_id, s.seq, s.created_at,
  array(
    select u.email from search_readers r join users u on u.id = r.user_id and u.company_id = s.company_id
    where r.search_id = s.id order by u.email
  ) as emails,
  (select count(*)::int from search_members m where m.search_id = s.id) as members,
  (
    select count(*)::int from search_changes c
    where c.search_id = s.id and c.n > coalesce((
      select v.n from search_views v where v.search_id = s.id and v.user_id = :user_id::uuid
    ), 0)
  ) as news
from searches s
where s.company_id = :company_id and (:search_id::uuid is null or s.id = :search_id)
order by s.created_at, s.id;

-- name: count_news
-- How many of a company's searches have something that a user hasn't seen.
select count(*)::int as news
from searches s
left join search_views v on v.search_id = s.id and v.user_id = :user_id
where s.company_id = :company_id
  and exists (select true from search_changes c where c.search_id = s.id and c.n > coalesce(v.n, 0));

-- name: count_searches
-- How many searches a company has. Run it under accounts/lock_company.
select count(*)::int as searches from searches where company_id = :company_id;

-- name: list_named_users
-- The users of a company with these addresses.
select id, email from users where company_id = :company_id and lower(email) = any (:emails::text[]);

-- name: find_webhook
-- Whether a company's account has this webhook.
select w.id from webhooks w join accounts a on a.id = w.account_id where w.id = :webhook_id and a.company_id = :company_id;

-- name: insert_search
-- Adds a search without members. The search checks the changes after `seq`.
insert into searches (company_id, account_id, name, filter, counties, notify, webhook_id, seq)
values (:company_id, :account_id, :name, :filter, :counties, :notify, :webhook_id, :seq)
returning id;

-- name: update_search
-- Changes a search. `seq`: if the filter changes, the number of the last change that its new members reflect,
-- otherwise null. Returns no row if the search doesn't exist.
update searches
set name = :name, filter = :filter, counties = :counties, notify = :notify, webhook_id = :webhook_id,
  seq = coalesce(:seq, seq)
where id = :search_id and company_id = :company_id
returning id;

-- name: delete_search
-- Deletes a search with its members and notes. Returns no row if the search doesn't exist.
delete from searches where id = :search_id and company_id = :company_id returning id;

-- name: clear_members
-- Deletes a search's members.
delete from search_members where search_id = :search_id;

-- name: add_members
-- Adds members to a search.
insert into search_members (search_id, property_id)
select :search_id, id from unnest(:property_ids::bigint[]) as p (id)
on conflict do nothing;

-- name: list_notes
-- A search's notes after the given one, oldest first, with the change behind each.
select n.n, n.became, n.at as noted_at, n.property_id as parcel, c.seq, c.type, c.at, c.run_id, c.fips, c.property_id, c.listing_id, c.zip, c.fields
from search_changes n
left join changes c on c.seq = n.seq
where n.search_id = :search_id and n.n > :after
order by n.n
limit :limit;

-- name: get_last_note
-- The number of the last note of a search, or 0 before the first.
select coalesce(max(n), 0) as n from search_changes where search_id = :search_id;

-- name: list_newest_notes
-- The newest notes of a search, for display, with the old and new values of the changed fields.
select n.became, n.at, n.property_id,
  case when c.type in ('parcel.changed', 'land.measured', 'valuation.moved') then c.fields end as fields
from search_changes n
left join changes c on c.seq = n.seq
where n.search_id = :search_id
order by n.n desc
limit :limit;

-- name: see_search
-- Records that a user has seen what is new in a search.
insert into search_views (search_id, user_id, n)
select :search_id, :user_id, coalesce(max(n), 0) from search_changes where search_id = :search_id
on conflict (search_id, user_id) do update set n = excluded.n;

-- name: set_readers
-- Sets who gets emails about a search. Users who stay keep their unsubscribe link.
with gone as (
  delete from search_readers where search_id = :search_id and user_id <> all (:user_ids::uuid[])
)
insert into search_readers (search_id, user_id, mailed_n, mailed_at)
select :search_id, id, (select coalesce(max(n), 0) from search_changes where search_id = :search_id), now() from unnest(:user_ids::uuid[]) as u (id)
on conflict do nothing;

-- name: skip_mails
-- Skips changes from before someone subscribed, so that they are not emailed later.
update search_readers
set mailed_n = (select coalesce(max(n), 0) from search_changes where search_id = :search_id), mailed_at = now()
where search_id = :search_id;

-- name: find_reader
-- The search and the user that an unsubscribe link is for.
select s.name, u.email
from search_readers r
join searches s on s.id = r.search_id
join users u on u.id = r.user_id
where r.token = :token;

-- name: end_mails
-- Unsubscribes a link's user from a search. `all`: from all searches.
delete from search_readers r using search_readers named
where named.token = :token and r.user_id = named.user_id and (:all or r.search_id = named.search_id)
returning r.search_id;

-- name: delete_old_notes
-- Deletes a batch of notes older than `days` days. The newest note of each search is kept, because a cursor
-- beyond it means that the database was restored.
delete from search_changes
where (search_id, n) in (
  select c.search_id, c.n
  from search_changes c
  where c.at < now() - :days * interval '1 day'
    and c.n < (select max(newer.n) from search_changes newer where newer.search_id = c.search_id)
  limit 10000
);
