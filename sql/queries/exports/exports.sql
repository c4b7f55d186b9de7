-- name: add_export
-- Adds an export. `state`: queued, or failed with its error. `held`: tokens held for it. `order_key`: the
-- Idempotency-Key it was ordered with, or null.
insert into exports (company_id, account_id, mode, request, order_key, state, tokens_held, error, created_at, ended_at)
values (
  :company_id, :account_id, :mode, :request, :order_key, :state, :held, :error::jsonb, :created_at,
  case when :error::jsonb is not null then now() end
)
returning id;

-- name: add_part
-- Stores a part. Returns no row if the export has ended or another attempt is creating it.
insert into export_parts (export_id, n, bytes, sha256)
select id, :n, :bytes, :sha256
from exports
where id = :export_id and attempt = :attempt and state = 'running'
for share
returning n;

-- name: begin_export
-- Starts a new attempt of an open export.
update exports
set state = 'running', attempt = attempt + 1
where id = :export_id and state in ('queued', 'running')
returning id, company_id, account_id, mode, request, tokens_held, attempt, created_at;

-- name: clear_parts
-- Deletes the parts that earlier attempts stored. This is a separate statement, because begin_export may wait
-- for a transaction that adds a part, and its own snapshot wouldn't include that part.
delete from export_parts where export_id = :export_id;

-- name: count_open
-- Counts a company's exports in progress.
select count(*)::int as open from exports where company_id = :company_id and state in ('queued', 'running');

-- name: count_comps
-- Counts the comps that match, and how many of them are free, because the company has already paid for them
-- and they haven't changed. Fragments: the comps' figures and where. `most`: maximum to count.
with hits as materialized (
  select l.id, l.changed_run
  from {{figures}}
  where {{where}}
  limit :most::int
)
select count(*)::int as rows, count(g.id)::int as free
from hits h
left join given_others g on g.company_id = :company_id::uuid and g.id = h.id and g.version = h.changed_run::text
  and g.given_at > now() - interval '30 days';

-- name: count_markets
-- Returns which regions exist, whether they have statistics, and whether the company has already paid for
-- their current statistics.
select r.id, s.as_of is not null as has_stats, g.id is not null as free
from regions r
join region_stats s using (type, code)
left join given_others g on g.company_id = :company_id::uuid and g.id = r.id and g.version = s.etag
  and g.given_at > now() - interval '30 days'
where r.id = any (:ids::uuid[]);

-- name: count_rows
-- Returns how many parcels a file has, how many were found, and how many are free, because the company has
-- already paid for them and they haven't changed. Fragments: hits (hits_of_filter, hits_of_list, or
-- hits_of_owners), found (`hits`, or the `members` that the hits were chosen from).
with {{hits}}
select
  (select count(*)::int from {{found}}) as found,
  (select count(*)::int from hits) as rows,
  (
    select count(*)::int
    from hits h
    join given_rows g on g.fips = h.fips and g.property_id = h.property_id
    join parcels v on v.fips = g.fips and v.property_id = g.property_id and v.changed_run = g.version
    where g.company_id = :company_id::uuid and g.given_at > now() - interval '30 days'
  ) as free;

-- name: delete_export
-- Deletes an export that has ended, with its parts.
delete from exports
where id = :export_id and company_id = :company_id and state not in ('queued', 'running')
returning id;

-- name: delete_old_exports
-- Deletes exports that ended more than a year ago and have no file.
delete from exports where state in ('failed', 'cancelled', 'expired') and ended_at < now() - interval '1 year';

-- name: end_export
-- Ends an open export that failed or was canceled, and returns the tokens that were held for it. `company_id`
-- and `attempt`: null for any.
update exports e
set state = :state, tokens_held = 0, error = :error::jsonb, ended_at = now()
from (
  select id, tokens_held from exports
  where id = :export_id and (:company_id::uuid is null or company_id = :company_id) for update
) before
where e.id = before.id and e.state in ('queued', 'running') and (:attempt::int is null or e.attempt = :attempt)
returning e.account_id, e.job_id, before.tokens_held;

-- name: expire_exports
-- Deletes the parts of expired and incomplete files.
with expired as (
  update exports set state = 'expired' where state = 'ready' and expires_at <= now()
)
delete from export_parts p
using exports e
where e.id = p.export_id and (e.state in ('cancelled', 'failed') or e.state = 'ready' and e.expires_at <= now());

-- name: find_market
-- Finds a region and its display name. `type`: county or zip. `code`: FIPS or ZIP.
select id, case type when 'zip' then 'ZIP ' || code else name || ', ' || state end as label
from regions
where type = :type and code = :code;

-- name: find_ordered
-- Finds the export that an account ordered with this Idempotency-Key in the last day.
select id
from exports
where company_id = :company_id and account_id = :account_id and order_key = :order_key::text and request = :request::jsonb
  and created_at > :created_at::timestamptz - interval '24 hours'
order by created_at
limit 1;

-- name: finish_export
-- Marks a complete file as paid for and ready. `days`: how long it is kept.
update exports
set state = 'ready', tokens_held = 0, rows = :rows, free_rows = :free_rows, tokens = :tokens, credits = :credits,
  ended_at = now(), expires_at = now() + :days::int * interval '1 day'
where id = :export_id;

-- name: give_others
-- Marks comps or markets as paid for by a company. Returns the ids that were not free. Waits for other
-- transactions that mark the same rows, and then sees their marks.
insert into given_others as g (company_id, id, version)
select :company_id::uuid, t.id, t.version
from unnest(:ids::uuid[], :versions::text[]) as t (id, version)
-- Sorted, so that transactions that mark the same rows wait for each other but never deadlock.
order by t.id
on conflict (company_id, id) do update
set version = excluded.version, given_at = excluded.given_at
where g.version <> excluded.version or g.given_at <= excluded.given_at - interval '30 days'
returning id;

-- name: delete_old_others
-- Deletes marks too old to make a row free.
delete from given_others where given_at <= now() - interval '30 days';

-- name: hits_of_filter
-- A fragment for other statements: the parcels that a filter finds. Fragments: the filter's from and where.
-- `most`: maximum number of parcels.
hits as materialized (
  select f.fips, f.property_id
  from {{from}}
  where {{where}}
  limit :most::int
)

-- name: hits_of_list
-- A fragment for other statements: the rows of a list in a file, without do-not-mail owners. Fragments:
-- members, owners, and ranked, as for lists. `status` and `among` (ids): null for all.
{{members}},
{{owners}},
{{ranked}},
hits as materialized (
  select (property_id / 100000000)::int as fips, property_id, owner_parcels, owner_acres
  from ranked
  where (place = 1 or not :is_grouped::boolean) and not do_not_mail
    and (:status::text is null or status = :status)
    and (:among::bigint[] is null or property_id = any (:among))
)

-- name: hits_of_owners
-- A fragment for other statements: the largest parcel of each owner or assemblage that a filter finds.
-- Fragments: the filter's from and where; owners and ranked, as for lists. `most`: maximum number of parcels
-- to read.
members as materialized (
  select own.property_id, own.owner_key, own.out_of_zip_owner is null as zip_unknown, own.effective_acres, own.fips,
    own.location, own.extent, together.assemblage_id
  from {{from}}
  join parcel_filters own on own.fips = f.fips and own.property_id = f.property_id
  left join assemblages together on together.fips = f.fips and together.property_id = f.property_id
  where {{where}}
  limit :most::int
),
{{owners}},
{{ranked}},
hits as materialized (
  select (property_id / 100000000)::int as fips, property_id, owner_parcels, owner_acres
  from ranked where place = 1
)

-- name: list_exports
-- A company's newest exports, with the progress of their jobs and the name of the list or single market that
-- each covers. Fragment: subject. `export_id`: null for all.
select e.id, case when e.state = 'ready' and e.expires_at <= now() then 'expired' else e.state end as state,
  e.request, e.rows, e.free_rows, e.tokens, e.error, e.created_at, e.expires_at,
  case when e.state = 'running' then j.progress end as progress,
  {{subject}} as subject
from exports e
left join jobs j on j.id = e.job_id
where e.company_id = :company_id and (:export_id::uuid is null or e.id = :export_id)
order by e.created_at desc, e.id
limit :limit;

-- name: list_parts
-- The parts of files: their sizes and checksums.
select export_id, n, octet_length(bytes) as size, encode(sha256, 'hex') as sha256
from export_parts
where export_id = any (:export_ids::uuid[])
order by export_id, n;

-- name: list_listing_sources
-- Credits for listings and sales. There is one for each feed that loaded any.
select id, jsonb_build_object('feed', name, 'title', definition ->> 'title',
  'attribution', definition ->> 'attribution', 'licence', definition ->> 'licence') as source
from feeds f
where exists (select from listings l where l.feed_id = f.id);

-- name: list_market_rows
-- Statistics of the regions that have any, by type and code.
select r.id, r.code, s.etag, convert_from(s.body, 'UTF8') as body
from regions r
join region_stats s using (type, code)
where r.id = any (:ids::uuid[]) and s.as_of is not null
order by r.type, r.code;

-- name: list_lost
-- Exports whose job ended without a result, because its workers died or an operator canceled the job.
select e.id
from exports e
join jobs j on j.id = e.job_id
where e.state in ('queued', 'running') and j.status in ('done', 'failed');

-- name: list_published
-- Counties with parcels, with their names and locations.
select r.code as fips, r.name as county, r.state,
  case when c.west is not null then array[c.west, c.south, c.east, c.north] end as bbox
from county_coverage c
join regions r on r.type = 'county' and r.fips = c.fips
where c.parcels > 0
order by r.code
limit :limit;

-- name: list_sources
-- The sources of a county's parcels and of their land figures.
select jsonb_build_object('feed', f.name, 'title', f.definition ->> 'title',
  'attribution', f.definition ->> 'attribution', 'licence', f.definition ->> 'licence') as source
from county_coverage c
join feeds f on f.id = any (c.feed_ids)
  or f.id in (
    select l.feed_id from land_layers l
    where l.kind in ('elevation', 'roads', 'wetlands', 'flood') and c.west is not null
      and (l.fips = c.fips or l.coverage && box(point(c.west * 1e7, c.south * 1e7), point(c.east * 1e7, c.north * 1e7)))
  )
where c.fips = :fips
order by f.kind <> 'assessor', f.kind, f.name;

-- name: lock_export
-- Locks the export if this attempt is still creating it, so that no one else can end it in the meantime.
select id from exports where id = :export_id and attempt = :attempt and state = 'running' for update;

-- name: read_file_facts
-- A stored file's request, dates, and credits, and the name of its list or single market. Returns no row
-- unless the account that ordered it is in good standing. Fragment: subject.
select e.request, e.expires_at, e.created_at, e.account_id, e.credits,
  {{subject}} as subject
from exports e
join accounts a on a.id = e.account_id and a.disabled_at is null and a.pro and a.invoice_paid
where e.id = :export_id and e.state = 'ready' and e.expires_at > now();

-- name: read_versions
-- Returns a digest per company that changes whenever the state or progress of one of its newest exports
-- changes.
select c.id, md5(coalesce(string_agg(e.id::text || e.state || coalesce(j.progress, 0)::text, ' ' order by e.id), '')) as version
from unnest(:ids::uuid[]) c (id)
left join lateral (
  select * from exports where company_id = c.id order by created_at desc limit 100
) e on true
left join jobs j on j.id = e.job_id and e.state = 'running'
group by c.id;

-- name: set_job
-- Records which job creates an export.
update exports set job_id = :job_id where id = :export_id;

-- name: copy_slice
-- A range of bytes of a part. `start`: position of the first byte, starting at 1.
copy (
  select substring(bytes from :start::int for :size::int)
  from export_parts
  where export_id = :export_id::uuid and n = :n::int
) to stdout (format binary);

-- name: copy_comps
-- The comps of a file, with the run that last changed them, for COPY. Fragments: the comps' figures and
-- where, place (sort order).
copy (
  select l.id, l.changed_run, l.feed_id, l.location[0]::bigint, l.location[1]::bigint,
    l.status, l.address, l.city, l.state, l.zip, l.county, l.apn, l.location[0] / 1e7, l.location[1] / 1e7,
    nullif(l.lot_acres, 0), l.price::float8, case when l.status = 'SOLD' then l.sold_date end, d.dom,
    l.sale_type, l.url, l.source
  from {{figures}}
  where {{where}}
  order by {{place}} nulls last, l.id
) to stdout (null '');

-- name: copy_keys
-- Some parcels of a county, with the run that last changed them and their locations, for COPY. Fragments:
-- fips, and hit (a query for their ids).
copy (
  select p.property_id, p.changed_run, p.location[0] as x, p.location[1] as y
  from ({{hit}}) hit
  join parcels p on p.fips = {{fips}} and p.property_id = hit.property_id
  order by p.property_id
) to stdout (format binary);

-- name: copy_kept
-- The parcels of a file, with the totals of their owners, for COPY. Fragment: hits.
copy (
  with {{hits}}
  select property_id, owner_parcels, owner_acres from hits order by property_id
) to stdout (format binary);

-- name: copy_members
-- The parcels behind the rows of a list in a file, with the id of their row, the price that was entered, and
-- the totals of the row's owner, for COPY. Fragment: hits (hits_of_list).
copy (
  with {{hits}}
  select r.property_id, h.property_id as row_id, r.offer::float8, h.owner_parcels, h.owner_acres
  from ranked r
  join hits h on h.property_id = case when :is_grouped then r.leader else r.property_id end
  order by row_id, r.property_id
) to stdout (format binary);

-- name: copy_rows
-- The columns of some parcels of a county, for COPY. Fragments: columns, fips, ids, and least and most (the
-- smallest and largest id, which limit the search for joined rows).
copy (
  select {{columns}}
  from parcels p
  left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
    and f.property_id between {{least}} and {{most}}
  left join parcel_attributes a
    on a.fips = f.fips and a.property_id = f.property_id and a.shape_hash = p.shape_hash
  left join assemblages g on g.fips = f.fips and g.property_id = f.property_id
    and g.property_id between {{least}} and {{most}}
  where p.fips = {{fips}} and p.property_id = any ({{ids}}::bigint[])
  order by p.property_id
) to stdout (null '');

-- name: subject_of_export
-- A fragment for other statements: the name of an export's list or single market, or null if there is none.
coalesce(
  (select l.name from lists l where l.company_id = e.company_id and l.id = (e.request ->> 'list_id')::uuid),
  (
    select case r.type when 'zip' then 'ZIP ' || r.code else r.name || ', ' || r.state end
    from regions r
    where jsonb_array_length(e.request -> 'markets') = 1 and r.id = (e.request -> 'markets' ->> 0)::uuid
  )
)
