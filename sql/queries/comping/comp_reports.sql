-- name: insert_report
-- Creates an empty report on a parcel, to be prepared later. Returns no row if the parcel is not on the roll
-- or the account has too many reports. `user_id`: the creator, or null if it was created with an API key.
-- `limit`: reports per account.
insert into comp_reports (account_id, user_id, fips, property_id, wanted_at)
select :account_id::uuid, :user_id::uuid, p.fips, p.property_id, now()
from parcels p
where p.fips = :fips::int and p.property_id = :property_id::bigint and p.retired_at is null
  and (select count(*) from comp_reports where account_id = :account_id::uuid) < :limit::int
returning id;

-- name: list_wanted
-- Reports in a county that are waiting to be prepared, with the land figures of their parcels. Locations are
-- in 1e-7 degrees.
select
  r.id, r.snapshot is null as is_new, r.wanted_at::text as wanted, r.property_id, p.retired_at is null and p.property_id is not null as on_roll,
  coalesce(p.apn, '') as apn, coalesce(p.situs_address, '') as address, coalesce(p.situs_city, '') as city,
  coalesce(p.situs_state, g.state, '') as state, coalesce(p.situs_zip, '') as zip, coalesce(g.name, '') as county,
  f.location[0] as x, f.location[1] as y, f.effective_acres as acres, p.boundary,
  p.acres as stated_acres, p.calculated_acres, p.land_use_code,
  f.steeper_percent[6]::float8 as steep_percent,
  (f.highway_frontage_ft + f.road_frontage_ft + f.local_frontage_ft)::float8 as frontage_ft,
  f.flood_zone_percent::float8 as flood_percent, f.wetlands_percent::float8 as wetlands_percent,
  f.buildable_acres::float8 as buildable_acres, f.waterfront,
  (
    select json_agg(c)
    from json_array_elements(r.snapshot -> 'candidates') c
    where (c ->> 'id')::uuid in (select comp_id from comp_report_comps where report_id = r.id)
  ) as kept
from comp_reports r
left join parcels p on p.fips = :fips and p.property_id = r.property_id
left join parcel_filters f on f.fips = :fips and f.property_id = r.property_id
left join regions g on g.type = 'county' and g.fips = r.fips
where r.fips = :fips and r.wanted_at is not null
order by r.wanted_at
limit :limit;

-- name: read_terms
-- The as-of date of a county's last valuation, and the extent of its parcels in 1e-7 degrees.
select
  (select to_char(as_of, 'YYYY-MM-DD') from valuations where fips = :fips limit 1) as as_of,
  (c.extent[1])[0] as west, (c.extent[1])[1] as south, (c.extent[0])[0] as east, (c.extent[0])[1] as north
from (select :fips::int as fips) as asked
left join valuation_counties c on c.fips = asked.fips;

-- name: list_comps
-- Comps with the columns that a report shows.
select
  l.id, l.source, l.status, l.address, l.city, l.state, l.zip, to_char(l.fips, 'FM00000') as fips, l.apn,
  l.lot_acres as acres, l.price::float8 as price, case when l.status = 'SOLD' then l.sold_date end as sold_date,
  coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days_on_market,
  l.sale_type, l.url, to_json(l.photos[:10]) as photos
from listings l
cross join lateral (
  select case when l.status = 'ACTIVE' then :as_of::date else coalesce(l.status_date, l.sold_date) end as day
) as latest
where l.id = any (:ids::uuid[]);

-- name: read_markets
-- Statistics for a county and a ZIP code.
select type, convert_from(body, 'UTF8') as body
from region_stats
where (type = 'county' and code = :fips) or (type = 'zip' and code = :zip);

-- name: store_prepared
-- Stores the snapshot of a report. If the report already has one, offers the new one as a replacement. Clears
-- `wanted_at`, unless the report was requested again in the meantime. `snapshot` and `fault` may be null.
update comp_reports
set
  snapshot = coalesce(snapshot, :snapshot::json),
  offered = case when snapshot is null then null else :snapshot::json end,
  label = case when :label = '' then label else :label end,
  fault = :fault,
  looked_at = now(),
  wanted_at = case when wanted_at = :wanted_at::timestamptz then null else wanted_at end
where id = :id;

-- name: read_report
-- Reads a report for members of its account and the account's own user. The creator is a name, never an
-- email, because shared reports show it.
select
  r.id, r.account_id, r.fips, r.property_id, r.label, r.title, r.notes, r.version, r.created_at, r.updated_at, r.wanted_at,
  r.looked_at, r.fault, r.snapshot, r.offered, r.share_expires_at,
  case when r.share_expires_at > now() then r.share_token end as share_token,
  (select nullif(u.name, '') from users u where u.id = coalesce(r.user_id, a.user_id)) as maker,
  (select c.name from companies c where c.id = a.company_id) as company,
  array(select comp_id::text from comp_report_comps where report_id = r.id order by added_at, comp_id) as chosen,
  coalesce((
    select json_agg(json_build_object(
      'comp_id', comp_id, 'adjustment', adjustment, 'percent', percent, 'reason', reason
    ))
    from comp_report_overrides
    where report_id = r.id
  ), '[]') as overrides
from comp_reports r
join accounts a on a.id = r.account_id
where r.id = :id and (r.account_id = :account_id or a.user_id = :user_id);

-- name: find_shared
-- Finds the report for a valid link, if its account is in good standing. `token_hash`: hash of the token.
select r.id, r.account_id
from comp_reports r
join accounts a on a.id = r.account_id and a.disabled_at is null and a.pro and a.invoice_paid
where r.share_hash = :token_hash and r.share_expires_at > now();

-- name: list_reports
-- Reports of an account and of the accounts that a user owns, most recently changed first.
select
  r.id, r.title, r.label, r.property_id, r.fips, r.updated_at, r.share_expires_at > now() as shared,
  (select count(*)::int from comp_report_comps c where c.report_id = r.id) as comps
from comp_reports r
where r.account_id = :account_id or exists (select 1 from accounts a where a.id = r.account_id and a.user_id = :user_id)
order by r.updated_at desc, r.id
limit :limit;

-- name: choose_comps
-- Adds comps to a report.
insert into comp_report_comps (report_id, comp_id)
select :report_id, id from unnest(:comp_ids::uuid[]) as id
on conflict do nothing;

-- name: leave_comps
-- Removes comps from a report. Their overrides are kept.
delete from comp_report_comps where report_id = :report_id and comp_id = any (:comp_ids::uuid[]);

-- name: override_adjustment
-- Overrides an adjustment of a comp.
insert into comp_report_overrides (report_id, comp_id, adjustment, percent, reason)
values (:report_id, :comp_id, :adjustment, :percent, :reason)
on conflict (report_id, comp_id, adjustment) do update
set percent = excluded.percent, reason = excluded.reason, changed_at = now();

-- name: restore_adjustment
-- Removes an override, so that the model's adjustment applies again.
delete from comp_report_overrides where report_id = :report_id and comp_id = :comp_id and adjustment = :adjustment;

-- name: touch_report
-- Updates a report's version and time of change.
update comp_reports set version = version + 1, updated_at = now() where id = :id;

-- name: write_text
-- Sets the title or the notes, unless another user has changed them since. {{field}}: `title` or `notes`.
update comp_reports
set {{field}} = :text, version = version + 1, updated_at = now()
where id = :id and {{field}} in (:text, :before);

-- name: share_report
-- Sets or replaces a report's link. `token_hash`: hash of the `token`. Both are null to remove the link.
update comp_reports
set share_hash = :token_hash, share_token = :token, share_expires_at = case when :token_hash::bytea is null then null else now() + :days::int * interval '1 day' end
where id = :id;

-- name: want_report
-- Requests that a report be prepared, or compared with current data.
update comp_reports set wanted_at = now() where id = :id and wanted_at is null;

-- name: is_outdated
-- Whether the parcel has been valued again since the report was last compared.
select 1 from valuations where fips = :fips and property_id = :property_id and computed_at > :looked_at::timestamptz;

-- name: is_wanted
-- Whether a report is waiting to be prepared.
select 1 from comp_reports where id = :id and wanted_at is not null;

-- name: accept_offer
-- Replaces a report's snapshot with the offered one.
update comp_reports
set snapshot = offered, offered = null, version = version + 1, updated_at = now()
where id = :id and offered is not null;

-- name: decline_offer
-- Keeps a report's snapshot until the data changes again.
update comp_reports set offered = null where id = :id;

-- name: delete_report
-- Deletes a report with its comps.
delete from comp_reports where id = :id;
