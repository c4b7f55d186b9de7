-- name: list_behind
-- Searches that haven't checked all changes yet, with the newest change.
select s.id, s.filter, s.counties, s.seq, head.seq as head
from searches s
join (select max(seq) as seq from changes) head on s.seq < head.seq
order by s.seq, s.id;

-- name: list_all_searches
-- All searches, to be checked again.
select s.id, s.filter, s.counties, s.seq from searches s order by s.id;

-- name: list_changed_parcels
-- Changes to parcels between two change numbers, in the given counties. `county.loaded` represents all
-- parcels of its county.
select seq, fips, property_id
from changes
where seq > :after and seq <= :until and fips = any (:counties::int[])
  and (type like 'parcel.%' or type in ('land.measured', 'valuation.moved') or type = 'county.loaded' and fields ? 'parcels')
order by seq;

-- name: list_memberships
-- Which of these parcels are members of searches.
select search_id, json_agg(property_id) as property_ids
from search_members
where property_id = any (:property_ids::bigint[])
group by search_id;

-- name: list_members_in
-- A search's members in a county.
select property_id from search_members
where search_id = :search_id and property_id between :fips::bigint * 100000000 and :fips::bigint * 100000000 + 99999999;

-- name: find_members
-- Parcels that a filter finds. Fragments: from, where.
select f.property_id from {{from}} where {{where}};

-- name: write_notes
-- Records the parcel changes found by searches that were just checked. Also updates the members of these
-- searches and their positions in the list of changes, and creates webhook messages. `places`: index of each
-- change's search in `search_ids`, starting at 1. Skips a search whose filter was changed in the meantime,
-- because that search now continues from a different change.
with looked as materialized (
  select s.id, s.webhook_id, greatest(s.seq, :until::bigint) as seq, l.place
  from unnest(:search_ids::uuid[], :afters::bigint[]) with ordinality as l (id, seq, place)
  join searches s on s.id = l.id and s.seq = l.seq
  for update of s
),
moved as (
  update searches s set seq = looked.seq from looked where s.id = looked.id
),
note as (
  insert into search_changes (search_id, at, property_id, became, seq)
  select looked.id, now(), p.property_id, p.became, p.seq
  from unnest(:places::int[], :property_ids::bigint[], :became::text[], :seqs::bigint[]) with ordinality
    as p (place, property_id, became, seq, nth)
  join looked on looked.place = p.place
  order by p.nth
  returning n, search_id, property_id, became, seq
),
removed as (
  delete from search_members m using note
  where note.became = 'removed' and m.search_id = note.search_id and m.property_id = note.property_id
),
added as (
  insert into search_members (search_id, property_id)
  select search_id, property_id from note where became = 'added'
  on conflict do nothing
),
-- The webhook that each search names, and the webhooks that are configured to follow it.
listener as materialized (
  select looked.id as search_id, looked.seq, looked.webhook_id, array['search.changed'] as types, null::int as fips, false as follows
  from looked
  where looked.webhook_id is not null
  union all
  select looked.id, looked.seq, w.id, w.types, w.fips, true
  from looked
  join webhooks w on w.search_id = looked.id
),
told as (
  insert into webhook_messages (seq, type, fips, at, data, webhook_id)
  select l.seq, 'search.changed', null, now(), jsonb_build_object(
    'search_id', l.search_id, 'seq', l.seq, 'after', min(note.n) - 1,
    'added', count(*) filter (where note.became = 'added'),
    'removed', count(*) filter (where note.became = 'removed'),
    'changed', count(*) filter (where note.became = 'changed')
  ), l.webhook_id
  from (select distinct search_id, seq, webhook_id from listener where 'search.changed' = any (types)) l
  join note on note.search_id = l.search_id
  group by l.search_id, l.seq, l.webhook_id
  union all
  select min(c.seq), c.type, c.fips, c.at, jsonb_build_object(
    'seq', min(c.seq), 'last_seq', max(c.seq), 'changes', count(distinct c.seq), 'run_id', c.run_id,
    'fips', lpad(c.fips::text, 5, '0'), 'search_id', l.search_id
  ), l.webhook_id
  from listener l
  join note on note.search_id = l.search_id
  join changes c on c.seq = note.seq and c.type = any (l.types)
  where l.follows and (l.fips is null or l.fips = c.fips)
  group by l.search_id, l.webhook_id, c.type, c.fips, c.at, c.run_id
  returning id, webhook_id
)
insert into webhook_deliveries (webhook_id, message_id, created_at, next_at)
select t.webhook_id, t.id, now(), now()
from told t
join webhooks w on w.id = t.webhook_id
where w.enabled;

-- name: list_to_mail
-- Notes to email, by user and search, with the number of each kind. Users with daily emails get one if today
-- isn't the date of their last email. Returns none for an account whose keys are refused.
select u.email, r.token, s.id as search_id, s.name, max(c.n) as last,
  count(*) filter (where c.became = 'added')::int as added, count(*) filter (where c.became = 'removed')::int as removed,
  count(*) filter (where c.became = 'changed')::int as changed
from searches s
join search_readers r on r.search_id = s.id
join users u on u.id = r.user_id and u.company_id = s.company_id
join accounts a on a.id = s.account_id and a.pro and a.disabled_at is null
join search_changes c on c.search_id = s.id and c.n > r.mailed_n
where s.notify = 'at_once' or s.notify = 'daily' and date_trunc('day', r.mailed_at) <> date_trunc('day', now())
group by u.email, r.token, s.id, s.name
order by u.email, s.name;

-- name: mark_mailed
-- Records the last note that was emailed, by user and search. The arrays are parallel: one element per user
-- and search.
update search_readers r
set mailed_n = greatest(r.mailed_n, m.last), mailed_at = now()
from unnest(:tokens::uuid[], :lasts::bigint[]) as m (token, last)
where r.token = m.token;

-- name: summarise_lag
-- Figures for operators: searches that haven't checked all changes yet, and the age of the oldest of these
-- changes. The age is 0 seconds if there are none.
select
  (select count(*)::int from searches where seq < (select max(seq) from changes)) as behind,
  coalesce(greatest(0, extract(epoch from now() - (
    select c.at from changes c where c.seq > (select min(seq) from searches) order by c.seq limit 1
  ))), 0)::float8 as behind_seconds;
