-- name: list_behind
-- Searches that have not looked at all changes yet, and up to which there are some.
select s.id, s.filter, s.counties, s.seq, head.seq as head
from searches s
join (select max(seq) as seq from changes) head on s.seq < head.seq
order by s.seq, s.id;

-- name: list_all_searches
-- All searches, to be looked at anew.
select s.id, s.filter, s.counties, s.seq, s.seq as head from searches s order by s.id;

-- name: try_lock
-- Whether this connection follows searches; another may.
select pg_try_advisory_lock(:lock::int) as held;

-- name: unlock
-- Lets others follow searches.
select pg_advisory_unlock(:lock::int);

-- name: list_changed_parcels
-- Changes of parcels after a number and up to another, in some counties. `county.loaded` stands for all
-- parcels of its county.
select seq, fips, property_id
from changes
where seq > :after and seq <= :until and fips = any (:counties::int[])
  and (type like 'parcel.%' or type = 'valuation.moved' or type = 'county.loaded' and fields ? 'parcels')
order by seq;

-- name: list_memberships
-- Which searches have found these parcels.
select search_id, property_id from search_members where property_id = any (:property_ids::bigint[]);

-- name: list_members_in
-- What a search has found in a county.
select property_id from search_members
where search_id = :search_id and property_id between :fips::bigint * 100000000 and :fips::bigint * 100000000 + 99999999;

-- name: find_members
-- Parcels that a filter finds. Places: from, where.
select f.property_id from {{from}} where {{where}};

-- name: write_notes
-- What became of parcels in a search, in one transaction with its members, its place in the changes, and what
-- a webhook is told. Rows that belong together.
with note as (
  insert into search_changes (search_id, at, property_id, became, seq)
  select :search_id, now(), p.property_id, p.became, p.seq
  from unnest(:property_ids::bigint[], :became::text[], :seqs::bigint[]) with ordinality as p (property_id, became, seq, place)
  order by p.place
  returning n, property_id, became, seq
),
removed as (
  delete from search_members m using note n
  where m.search_id = :search_id and m.property_id = n.property_id and n.became = 'removed'
),
added as (
  insert into search_members (search_id, property_id)
  select :search_id, property_id from note where became = 'added'
  on conflict do nothing
),
moved as (
  update searches set seq = greatest(seq, :until) where id = :search_id returning webhook_id, id
),
told as (
  insert into webhook_messages (seq, type, at, data, webhook_id)
  select :until, 'search.changed', now(), jsonb_build_object(
    'search_id', m.id, 'seq', :until::bigint, 'after', (select min(n) - 1 from note),
    'added', (select count(*) from note where became = 'added'),
    'removed', (select count(*) from note where became = 'removed'),
    'changed', (select count(*) from note where became = 'changed')
  ), m.webhook_id
  from moved m
  join webhooks w on w.id = m.webhook_id
  where exists (select true from note)
  returning id, webhook_id
)
insert into webhook_deliveries (webhook_id, message_id, created_at, next_at)
select t.webhook_id, t.id, now(), now()
from told t
join webhooks w on w.id = t.webhook_id
where w.enabled;

-- name: move_searches
-- Notes up to which change searches have looked.
update searches set seq = greatest(seq, :until) where id = any (:search_ids::uuid[]);

-- name: list_to_mail
-- Notes that people are to be mailed of, by user and search: how many of each kind. Those who want one mail a
-- day get it when the day is another than that of the last.
select u.email, r.token, s.id as search_id, s.name, max(c.n) as last,
  count(*) filter (where c.became = 'added')::int as added, count(*) filter (where c.became = 'removed')::int as removed,
  count(*) filter (where c.became = 'changed')::int as changed
from searches s
join search_readers r on r.search_id = s.id
join users u on u.id = r.user_id and u.company_id = s.company_id
join search_changes c on c.search_id = s.id and c.n > r.mailed_n
where s.notify = 'at_once' or s.notify = 'daily' and r.mailed_at < date_trunc('day', now())
group by u.email, r.token, s.id, s.name
order by u.email, s.name;

-- name: mark_mailed
-- Notes up to which note somebody was mailed of searches. Rows that belong together.
update search_readers r
set mailed_n = greatest(r.mailed_n, m.last), mailed_at = now()
from unnest(:tokens::uuid[], :lasts::bigint[]) as m (token, last)
where r.token = m.token;
