-- name: add_suppressions
-- Adds hashes to the suppression list, and returns how many are new.
with added as (
  insert into contact_suppressions (hash, request, created_by)
  select h.hash, :request_id, :by
  from unnest(:hmacs::bytea[]) as h (hash)
  where not exists (select from contact_suppressions s where s.hash = h.hash)
  returning 1
)
select count(*)::int as added from added

-- name: count_provider_call
-- Counts a call to a provider. `cents`: US cents it charged, or null.
insert into provider_usage as u (provider, day, calls, matches, failures, cents)
values (:name, current_date, 1, :matches, :failures, :cents)
on conflict (provider, day) do update
set
  calls = u.calls + 1, matches = u.matches + excluded.matches, failures = u.failures + excluded.failures,
  cents = coalesce(u.cents + excluded.cents, u.cents, excluded.cents)

-- name: create_contact_stage
-- Creates the staging table for a run's contacts in the run's schema. The table is unlogged and is filled
-- once by COPY.
create unlogged table stage_contact as
select
  null::bigint as row_no, null::uuid as hash, id, source, source_id, entity_name, first_name, middle_name, last_name, suffix, places, phones,
  emails, last_seen, keys
from contacts
with no data

-- name: delete_old_provider_answers
-- Deletes provider responses past their retention.
delete from provider_answers where asked_at < now() - :days * interval '1 day'

-- name: delete_old_traces
-- Deletes audit rows past their retention.
delete from traces where asked_at < now() - :years * interval '1 year'

-- name: delete_gone_contacts
-- Deletes contacts that their feed no longer lists. For feeds that list everyone.
delete from contacts c
using stage_contact_match m
where m.state = 'gone' and c.id = m.id and c.feed_id = :feed_id

-- name: erase_contacts
-- Deletes contacts.
delete from contacts where id = any(:ids::uuid[])

-- name: erase_kept_responses
-- Deletes stored responses of idempotent calls that are about a person or contain one of these numbers, and
-- returns how many. `person_hmacs`: HMACs of the person. `patterns`: LIKE patterns.
with erased as (
  delete from idempotent_calls
  where status is not null
    and (people && :person_hmacs::bytea[] or convert_from(body, 'UTF8') like any(:patterns::text[]))
  returning 1
)
select count(*)::int as erased from erased

-- name: erase_number
-- Removes a number from contacts that have others.
update contacts c
set
  phones = (select jsonb_agg(p) from jsonb_array_elements(c.phones) as p where p ->> 'number' <> :number),
  keys = array_remove(c.keys, :key::bigint)
where keys && array[:key::bigint]

-- name: erase_provider_answers
-- Deletes provider responses about a person, and returns how many. `person_hmacs`: HMACs of the person.
with erased as (
  delete from provider_answers where tags && :person_hmacs::bytea[] returning 1
)
select count(*)::int as erased from erased

-- name: keep_provider_answer
-- Stores a provider's response. `question_hmac`: HMAC of the query. `answer`: JSON, or null. `person_hmacs`:
-- HMACs of the people in it.
insert into provider_answers (question, provider, answer, tags)
values (:question_hmac, :provider, :answer, :person_hmacs)
on conflict (question) do update set asked_at = now(), answer = excluded.answer, tags = excluded.tags

-- name: list_candidates
-- The contacts that share a search key with the person searched for.
select
  id, source, entity_name, first_name, middle_name, last_name, suffix, places, phones, to_char(last_seen, 'YYYY-MM-DD') as last_seen
from contacts
where keys && :keys::bigint[]
order by last_seen desc nulls last, id
limit :limit

-- name: list_provider_usage
-- Calls and charges by month and provider.
select
  to_char(date_trunc('month', day), 'YYYY-MM') as month, provider, sum(calls)::int as calls, sum(matches)::int as matches,
  sum(failures)::int as failures, sum(cents)::float8 as cents
from provider_usage
group by 1, 2
order by 1, 2

-- name: list_suppressed
-- Which of these hashes are on the suppression list, or withheld by a feed. `reason`: the feed's reason, or
-- null for the suppression list, which wins.
select distinct on (hash) hash, reason
from (
  select hash, null as reason from contact_suppressions where hash = any(:hmacs::bytea[])
  union all
  select hash, reason from withheld_contacts where hash = any(:hmacs::bytea[])
) listed
order by hash, reason nulls first

-- name: list_traces
-- Audit rows, oldest first. `account_id`, `since`: null for all.
select t.asked_at, a.name as account, k.name as key, t.endpoint, t.source, t.matched, encode(t.question, 'hex') as question
from traces t
left join accounts a on a.id = t.account_id
left join api_keys k on k.id = t.key_id
where (:account_id::uuid is null or t.account_id = :account_id) and (:since::timestamptz is null or t.asked_at >= :since)
order by t.asked_at, t.id

-- name: match_contacts
-- Determines what the merge does with every contact in the run or its feed. Fragment: feed (the feed's id)
create unlogged table stage_contact_match as
select
  coalesce(s.id, c.id) as id,
  case
    when c.id is null then 'new'
    when s.id is null then 'gone'
    when c.row_hash <> s.hash then 'changed'
    else 'unchanged'
  end as state
from stage_contact s
full join (select id, row_hash from contacts where feed_id = {{feed}}) c on c.id = s.id

-- name: list_owners
-- The owners and mailing addresses of parcels. `counties`: the counties of the ids.
select property_id, owner_name, owner_name_2, mail_address, mail_city, mail_state, mail_zip
from parcels
where fips = any(:counties::int[]) and property_id = any(:property_ids::bigint[]) and retired_at is null

-- name: read_owner
-- A parcel's owner and mailing address.
select
  retired_at is not null as retired, owner_name, owner_name_2,
  mail_address as address, mail_city as city, mail_state as state, mail_zip as zip
from parcels
where fips = :fips and property_id = :property_id

-- name: read_provider_answer
-- A stored provider response. `question_hmac`: HMAC of the query.
select answer from provider_answers where question = :question_hmac and asked_at >= now() - :days * interval '1 day'

-- name: read_secret
-- The key for the suppression list's hashes.
select secret from contact_secret

-- name: upsert_contacts
-- Writes new and changed contacts.
insert into contacts (
  id, feed_id, source, source_id, entity_name, first_name, middle_name, last_name, suffix, places, phones, emails, last_seen, keys, row_hash,
  changed_run
)
select
  s.id, :feed_id, s.source, s.source_id, s.entity_name, s.first_name, s.middle_name, s.last_name, s.suffix, s.places, s.phones, s.emails, s.last_seen,
  s.keys, s.hash, :run_id
from stage_contact s
join stage_contact_match m on m.id = s.id
where m.state in ('new', 'changed')
on conflict (id) do update
set
  source = excluded.source, source_id = excluded.source_id, entity_name = excluded.entity_name, first_name = excluded.first_name,
  middle_name = excluded.middle_name, last_name = excluded.last_name, suffix = excluded.suffix, places = excluded.places,
  phones = excluded.phones, emails = excluded.emails, last_seen = excluded.last_seen, keys = excluded.keys, row_hash = excluded.row_hash,
  changed_run = excluded.changed_run

-- name: write_trace
-- Writes the audit row for a trace. `key_id`: the API key's id, or null. `question_hmac`: HMAC of the query.
insert into traces (account_id, key_id, endpoint, question, source, matched)
values (:account_id, :key_id, :metering_key, :question_hmac, :source, :matched)

-- name: create_withheld_stage
-- Creates the staging table for a run's withheld contacts in the run's schema. The table is unlogged and is
-- filled once by COPY.
create unlogged table stage_withheld (hash bytea)

-- name: measure_withheld
-- The figures that the gate compares and the run reports.
select
  count(s.hash)::int as rows,
  count(*) filter (where w.hash is null)::int as new,
  count(*) filter (where w.reason <> :reason)::int as changed,
  count(*) filter (where s.hash is not null and w.reason = :reason)::int as unchanged,
  count(*) filter (where s.hash is null)::int as retired
from (select distinct hash from stage_withheld) s
full join (select hash, reason from withheld_contacts where feed_id = :feed_id) w on w.hash = s.hash

-- name: delete_gone_withheld
-- Removes the contacts that a feed no longer withholds.
delete from withheld_contacts w
where w.feed_id = :feed_id and not exists (select from stage_withheld s where s.hash = w.hash)

-- name: upsert_withheld
-- Writes the contacts that a feed withholds.
insert into withheld_contacts (feed_id, hash, reason)
select distinct :feed_id::int, hash, :reason::text
from stage_withheld
on conflict (hash, feed_id) do update set reason = excluded.reason
where withheld_contacts.reason <> excluded.reason

-- name: list_suppressions
-- The hashes of everyone on the suppression list.
select hash from contact_suppressions
