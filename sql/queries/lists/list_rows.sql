-- name: add_rows
-- Adds parcels on the roll to a list, except those that are already in it or excluded. Returns one row with
-- the counts, and the ids that are not on the roll. Fragment: owners. `leave_out_lists`: lists whose parcels
-- are excluded. `mailed_within_days`: excludes owners mailed within this number of days, and parcels mailed
-- while their owner was unknown. Null to exclude none. `counties`: the counties that the ids are in.
with members as materialized (
  select f.property_id, f.owner_key, f.out_of_zip_owner is null as zip_unknown, f.effective_acres
  from parcel_filters f
  where f.fips = any (:counties::int[]) and f.property_id = any (:property_ids::bigint[])
),
{{owners}},
letters as materialized (
  select r.property_id, r.mailed_to
  from lists l
  join list_rows r on r.list_id = l.id and r.mailed_at > now() - :mailed_within_days::int * interval '1 day'
  where l.company_id = :company_id
),
decided as materialized (
  select o.property_id,
    case
      when o.property_id in (select property_id from list_rows where list_id = :list_id and property_id = any (:property_ids))
        then 'already_there'
      when o.do_not_mail then 'do_not_mail'
      when o.property_id in (
        select property_id from list_rows where list_id = any (:leave_out_lists::uuid[]) and property_id = any (:property_ids)
      ) then 'in_other_lists'
      when o.owner in (select mailed_to from letters where mailed_to is not null)
        or o.property_id in (select property_id from letters where mailed_to is null) then 'mailed_lately'
      else 'added'
    end as outcome
  from owned o
),
added as (
  insert into list_rows (list_id, property_id)
  select :list_id, property_id
  from decided
  where outcome = 'added'
)
select
  count(*) filter (where outcome = 'added') as added,
  count(*) filter (where outcome = 'already_there') as already_there,
  count(*) filter (where outcome = 'do_not_mail') as do_not_mail,
  count(*) filter (where outcome = 'in_other_lists') as in_other_lists,
  count(*) filter (where outcome = 'mailed_lately') as mailed_lately,
  array(
    select asked from unnest(:property_ids) with ordinality given (asked, n)
    where asked not in (select property_id from members)
    order by n
  ) as not_found
from decided

-- name: count_rows
-- Counts the rows that a list shows, by status, the parcels they represent, and do-not-mail owners.
-- `reveals`: whether those of unread rows count. Fragments: members, owners, ranked.
with {{members}},
{{owners}},
{{ranked}}
select status, count(*) as rows, sum(parcels)::int8 as parcels,
  count(*) filter (where do_not_mail and (is_read or :reveals::boolean)) as do_not_mail
from (
  select status, do_not_mail, is_read, case when :is_grouped::boolean then owner_parcels else 1 end as parcels
  from ranked
  where place = 1 or not :is_grouped
) shown
group by status

-- name: delete_rows
-- Removes parcels from a list.
delete from list_rows where list_id = :list_id and property_id = any (:property_ids::bigint[])

-- name: empty_notes
-- Clears notes and removes tags that identify a person, and returns the number of changed rows. `numbers`:
-- LIKE patterns for the digits of a note or tag. `name`: one LIKE pattern per word, in capitals and between
-- spaces. A note or tag must match all of them. Either may be empty.
with parts as (
  select r.list_id, r.property_id, p.text, p.n
  from list_rows r
  cross join lateral (
    select r.note as text, 0 as n
    union all
    select tag, n from unnest(r.tags) with ordinality as t (tag, n)
  ) p
  where r.note <> '' or r.tags <> '{}'
),
judged as (
  select list_id, property_id, text, n,
    regexp_replace(text, '\D', '', 'g') like any (:numbers::text[])
      or (
        cardinality(:name::text[]) > 0
        and ' ' || regexp_replace(upper(text), '[^[:alnum:]]+', ' ', 'g') || ' ' like all (:name)
      ) as is_personal
  from parts
),
personal as (
  select list_id, property_id, bool_or(is_personal and n = 0) as in_note,
    coalesce(array_agg(text order by n) filter (where not is_personal and n > 0), '{}') as tags
  from judged
  group by list_id, property_id
  having bool_or(is_personal)
),
emptied as (
  update list_rows r
  set note = case when t.in_note then '' else r.note end, tags = t.tags
  from personal t
  where r.list_id = t.list_id and r.property_id = t.property_id
  returning 1
)
select count(*)::int as erased from emptied

-- name: list_rows
-- A list's rows in the order of their ids, and the number of rows. With one row per owner or assemblage, the
-- row is its largest parcel. Returns at least one row. Fragments: members, owners, ranked; beyond, `>` or
-- `<`; direction. `status`, `tag`, `among` (ids), and `after` may be null. `limit`: null for all.
with {{members}},
{{owners}},
{{ranked}},
shown as materialized (
  select *
  from ranked
  where (place = 1 or not :is_grouped::boolean)
    and (:status::text is null or status = :status)
    and (:tag::text is null or :tag = any (tags))
    and (:among::bigint[] is null or property_id = any (:among))
)
select n.count, page.*
from (select count(*) as count from shown) n
left join lateral (
  select property_id, status, status_at, price_asked, do_not_mail, note, tags, added_at, is_read, owner, owner_parcels, owner_acres
  from shown
  where :after::bigint is null or property_id {{beyond}} :after
  order by property_id {{direction}}
  offset :offset::bigint limit :limit::bigint
) page on true
order by page.property_id {{direction}}

-- name: list_other_rows
-- The other lists of a company that have parcels of these owners, each with the owner's latest status there.
-- `reveals`: whether unread rows count.
select distinct on (o.owner_key, l.id) o.owner_key as owner, l.id, l.name, r.status, r.status_at
from owner_parcels o
join lists l on l.company_id = :company_id and l.id <> :list_id
join list_rows r on r.list_id = l.id and r.property_id = o.property_id and (r.read_at is not null or :reveals::boolean)
where o.owner_key = any (:owners::uuid[])
order by o.owner_key, l.id, r.status_at desc nulls last

-- name: list_row_parcels
-- The parcels behind the rows that a list shows, with the id and the status of their row and the price that
-- was entered. `among`: ids of rows, or null for all. Fragments: members, owners, ranked.
with {{members}},
{{owners}},
{{ranked}}
select property_id, case when :is_grouped::boolean then leader else property_id end as row_id, offer as entered,
  status, do_not_mail
from ranked
where :among::bigint[] is null or case when :is_grouped then leader else property_id end = any (:among)
order by row_id, property_id

-- name: mark_do_not_mail
-- Marks owners as do-not-mail for the company. `owner_keys`: all keys of these owners.
insert into do_not_mail (company_id, owner_key)
select distinct :company_id::uuid, k
from unnest(:owner_keys::uuid[]) k
on conflict do nothing

-- name: members
-- A fragment for other statements: the parcels of a list. Fragment: among, a condition on `list_rows r`.
-- `counties`: the counties that the parcels are in.
members as materialized (
  select r.property_id, r.status, r.status_at, r.mailed_at, r.price_asked, r.note, r.tags, r.offer, r.added_at, r.read_at is not null as is_read,
    f.owner_key, f.out_of_zip_owner is null as zip_unknown, f.effective_acres, f.fips, f.location, f.extent,
    g.assemblage_id
  from list_rows r
  left join parcel_filters f on f.fips = (r.property_id / 100000000)::int and f.property_id = r.property_id
    and f.fips = any (:counties::int[])
  left join assemblages g on g.fips = f.fips and g.property_id = f.property_id and g.fips = any (:counties::int[])
  where r.list_id = :list_id and {{among}}
)

-- name: owners
-- A fragment for other statements: `members` with their owners, grouped the way portfolios are. The owner key
-- of a parcel without a mailing ZIP is its place key. If exactly one owner with a ZIP is at that place, the
-- parcel belongs to that owner. Only parcels without a ZIP need this lookup, and few parcels lack one.
open_places as materialized (
  select distinct o.place_key
  from members m
  join owner_parcels o on o.owner_key = m.owner_key and o.property_id = m.property_id
  where m.zip_unknown and o.place_key = o.owner_key
),
only_owners as materialized (
  select p.place_key, min(o.owner_key::text)::uuid as owner
  from open_places p
  join owner_parcels o on o.place_key = p.place_key and o.owner_key <> o.place_key
  group by p.place_key
  having min(o.owner_key::text) = max(o.owner_key::text)
),
owned as materialized (
  select m.*, coalesce(w.owner, m.owner_key) as owner,
    coalesce(
      m.owner_key in (select owner_key from do_not_mail where company_id = :company_id)
        or w.owner in (select owner_key from do_not_mail where company_id = :company_id),
      false
    ) as do_not_mail
  from members m
  left join only_owners w on w.place_key = m.owner_key
)

-- name: mark_rows_read
-- Records that rows were read.
update list_rows
set read_at = now()
where list_id = :list_id and property_id = any (:property_ids::bigint[]) and read_at is null

-- name: pick_rows
-- Selects rows of a list by id, or all rows with a status. With one row per owner or assemblage, also selects
-- all other parcels of these rows. Includes the owners' keys. `by_itself`: whether the row itself was
-- selected, not only its group. An unread row doesn't select its group's read rows, unless `reveals`, because
-- changing them would reveal the owner. Fragments: members, owners, ranked. Either `property_ids` or `status`
-- is null.
with {{members}},
{{owners}},
{{ranked}},
picked as materialized (
  select property_id, leader, is_read
  from ranked
  where property_id = any (:property_ids::bigint[])
    or (status = :status::text and (place = 1 or not :is_grouped::boolean))
)
select property_id, leader, owner_key, owner, effective_acres, is_read,
  property_id in (select property_id from picked) as by_itself
from ranked
where property_id in (select property_id from picked)
  or (:is_grouped and leader in (
    select leader from picked p where p.is_read or not ranked.is_read or :reveals::boolean
  ))

-- name: ranked
-- A fragment for other statements: `owned` with the totals of each owner or assemblage in the list, and each
-- parcel's rank among its parcels, largest first. Fragments: group (the key of the owner or the assemblage of
-- `o`), extra_acres (acres to subtract per group).
extra_acres as materialized (
  {{extra_acres}}
),
ranked as materialized (
  select o.*,
    row_number() over (owner_group order by o.effective_acres desc nulls last, o.property_id) as place,
    first_value(o.property_id) over (owner_group order by o.effective_acres desc nulls last, o.property_id) as leader,
    count(*) over owner_group as owner_parcels,
    sum(o.effective_acres) over owner_group - coalesce(e.acres, 0) as owner_acres
  from owned o
  left join extra_acres e on e.summed_by = {{group}}
  window owner_group as (partition by {{group}}, case when {{group}} is null then o.property_id end)
)

-- name: read_row_states
-- The status and tags of some rows.
select property_id, status, status_at, tags
from list_rows
where list_id = :list_id and property_id = any (:property_ids::bigint[])

-- name: read_row_parcels
-- The parcel fields of rows, including parcels that have left the roll. Fragment: summary. `counties`:
-- counties of the ids.
select {{summary}}, p.fips, p.land_use_code, p.mail_address, p.mail_city, p.mail_state, p.mail_zip, p.changed_run as version,
  p.retired_at is not null as retired, p.market_total_value as market_value,
  p.assessed_total_value as assessed_value,
  v.mean_adjusted_price as value, v.low_price as value_low, v.high_price as value_high, v.out_of_support
from parcels p
left join assemblages g on g.fips = p.fips and g.property_id = p.property_id
left join valuations v on v.fips = p.fips and v.property_id = p.property_id
where p.fips = any (:counties::int[]) and p.property_id = any (:property_ids::bigint[])

-- name: set_offers
-- Sets the prices that a person entered for parcels of a list. Null removes them.
update list_rows r
set offer = k.offer
from unnest(:property_ids::bigint[], :offers::bigint[]) as k (property_id, offer)
where r.list_id = :list_id and r.property_id = k.property_id

-- name: unmark_do_not_mail
-- Removes the do-not-mail marks of owners.
delete from do_not_mail where company_id = :company_id and owner_key = any (:owner_keys::uuid[])

-- name: update_rows
-- Changes rows of a list. Null keeps a value, except that `sets_price` sets `price_asked` to null too.
-- `owners`: owner of each id, null if unknown. If a row is mailed again, the latest mailing is recorded. If a
-- row is set to new, its mailing is cleared.
update list_rows r
set status = coalesce(:status::text, r.status),
  status_at = case when :status::text is null then r.status_at when :status <> 'new' then now() end,
  note = coalesce(:note::text, r.note),
  tags = coalesce(:tags::text[], r.tags),
  price_asked = case when :sets_price::boolean then :price_asked::bigint else r.price_asked end,
  mailed_at = case :status when 'mailed' then now() when 'new' then null else r.mailed_at end,
  mailed_to = case :status when 'mailed' then k.owner when 'new' then null else r.mailed_to end
from unnest(:property_ids::bigint[], :owners::uuid[]) as k (property_id, owner)
where r.list_id = :list_id and r.property_id = k.property_id
