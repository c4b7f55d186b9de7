-- name: delete_flagged
-- Deletes a county's flagged sales before they are rewritten.
delete from flagged_sales where fips = :fips

-- name: list_roll_labels
-- The rolls whose sales are comps in a county, with the source labels of those comps. `fips`: the county.
select distinct l.feed_id, l.source
from listings l
join feeds f on f.id = l.feed_id and f.kind = 'assessor'
where l.fips = :fips and l.status <> 'OFF_MARKET' and l.status = 'SOLD'

-- name: flag_unqualified
-- Flags the last sale of each vacant parcel in a county, based on the roll's codes. Afterward,
-- `unflag_stored_sales` removes the flags of sales that are listings. Fragments: fips; feeds and labels, in
-- pairs; least_price (lower prices are nominal).
insert into flagged_sales (fips, flag, property_id, source, source_id, apn, sold_date, price, acres, code)
select
  f.fips,
  case
    when p.inter_family_transfer then 'family'
    when concat_ws(' ', p.sale_price_code, p.document_type_code) ~* '\m(sheriff|foreclos|tax deed|bankrupt|reposses)' then 'forced'
    else 'unqualified'
  end,
  p.property_id, s.source, format('%s/%s/%s', lpad(p.fips::text, 5, '0'), p.source_key, p.last_sale_date), coalesce(p.apn, ''), p.last_sale_date,
  p.last_sale_price, f.effective_acres, coalesce(p.sale_price_code, p.document_type_code)
from unnest({{feeds}}::int[], {{labels}}::text[]) as s (feed_id, source)
join parcels p on p.fips = {{fips}} and p.feed_id = s.feed_id
join parcel_filters f on f.fips = {{fips}} and f.property_id = p.property_id
where p.retired_at is null and f.vacant and p.last_sale_date is not null and p.last_sale_price >= {{least_price}}
on conflict do nothing

-- name: unflag_stored_sales
-- Deletes the flags that `flag_unqualified` gave to sales that are listings. `fips`: the county.
delete from flagged_sales s
using listings l
where s.fips = :fips and s.listing_id is null and l.source = s.source and l.source_id = s.source_id

-- name: flag_set_aside
-- Flags the county's sales that runs have set aside: deeds that cover several parcels, and sales that no
-- longer qualify. Skips those that an operator included. `fips`: the county; `several`: the sale_type of
-- deeds that cover several parcels.
insert into flagged_sales (fips, flag, listing_id, source, source_id, apn, sold_date, price, acres)
select
  l.fips,
  case
    when l.sale_type <> :several then 'unqualified'
    when count(*) over (
      partition by l.sale_type, l.feed_id, coalesce(l.deed, l.sold_date::text || '/' || l.price::text)
    ) > 1 then 'bundle'
    else 'orphan_deed'
  end,
  l.id, l.source, l.source_id, l.apn, l.sold_date, l.price, l.lot_acres
from listings l
left join sale_overrides o on o.id = l.id
where l.fips = :fips and l.status = 'OFF_MARKET' and l.sold_date is not null and o.used is not true
on conflict do nothing

-- name: flag_sales
-- Flags a county's sold comps that an operator excluded, that the model flagged, or that are incomplete.
-- `fips`: the county; `least_acres`: the smallest lot; `ids`, `flags`: the model's flags, in pairs.
insert into flagged_sales (fips, flag, listing_id, source, source_id, apn, sold_date, price, acres)
select
  l.fips, case when o.used is false then 'left_out' else coalesce(m.flag, 'incomplete') end,
  l.id, l.source, l.source_id, l.apn, l.sold_date, l.price, l.lot_acres
from listings l
left join sale_overrides o on o.id = l.id
left join unnest(:ids::uuid[], :flags::text[]) as m (id, flag) on m.id = l.id
where l.fips = :fips and l.status <> 'OFF_MARKET' and l.status = 'SOLD'
  and (
    o.used is false or m.id is not null
    or (l.price > 0 and l.lot_acres >= :least_acres::float8 and l.location is not null and l.sold_date is not null) is not true
  )
on conflict do nothing

-- name: store_used_count
-- Stores how many of its own sales a county's valuation used. `used`: the number.
update valuation_counties set used_sales = :used where fips = :fips

-- name: count_flagged
-- The number of a county's sales that its valuation used (null before the first valuation), and the number
-- of its sales with each flag. `fips`: the county.
select
  (select used_sales from valuation_counties where fips = :fips) as used,
  coalesce((
    select jsonb_object_agg(flag, sales)
    from (select flag, count(*) as sales from flagged_sales where fips = :fips group by flag) counted
  ), '{}') as flagged

-- name: list_flagged
-- A county's latest sales with each flag. `fips`: the county; `apn`: a parcel number without punctuation, or
-- null for all sales; `limit`: maximum number of sales per flag.
select
  flag, coalesce(listing_id::text, source_id) as id, apn, to_char(sold_date, 'YYYY-MM-DD') as sold_date, price::float8 as price, acres, code
from (
  select *, row_number() over (partition by flag order by sold_date desc nulls last, source_id) as place
  from flagged_sales
  where fips = :fips and (:apn::text is null or upper(regexp_replace(apn, '[^[:alnum:]]', '', 'g')) = :apn)
) ranked
where place <= :limit
order by flag, place

-- name: get_unstored_sale
-- A flagged sale that isn't a listing, with data from its parcel. `fips`: the county; `source_id`: the sale's
-- id in its source.
select
  s.source, s.source_id, s.apn, to_char(s.sold_date, 'YYYY-MM-DD') as sold_date, s.price::float8 as price, s.acres, p.feed_id,
  coalesce(p.situs_address, '') as address, coalesce(p.situs_city, '') as city, coalesce(p.situs_state, '') as state,
  coalesce(p.situs_zip, '') as zip, f.location::text as location
from flagged_sales s
join parcels p on p.fips = :fips and p.property_id = s.property_id
join parcel_filters f on f.fips = :fips and f.property_id = s.property_id
where s.fips = :fips and s.source_id = :source_id and s.listing_id is null

-- name: store_unqualified_sale
-- Stores a sale that doesn't meet its feed's conditions as a listing, so that an operator can include it in
-- valuations. Comps and statistics don't use it. If the sale qualifies in a later run, the run replaces the
-- listing. `type`: the sale_type; the other parameters are columns of the listing.
insert into listings (
  id, feed_id, source, source_id, status, address, city, state, zip, county, apn, location, fips, lot_acres, price, status_date,
  sold_date, sale_type, row_hash, created_run, changed_run
)
select
  :id, :feed_id, :source, :source_id, 'OFF_MARKET', :address, :city, :state, :zip, :county, :apn, :location::text::point, :fips,
  :acres, :price, :sold_date::date, :sold_date::date, :type, gen_random_uuid(), run.last, run.last
from (select coalesce(max(id), 0) as last from runs where feed_id = :feed_id and status = 'merged') run
on conflict do nothing

-- name: list_unflagged
-- A county's latest sales that have neither a flag nor an operator's decision. Same parameters as
-- `list_flagged`.
select l.id, l.apn, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date, l.price::float8 as price, l.lot_acres as acres
from listings l
left join flagged_sales s on s.fips = l.fips and s.listing_id = l.id
left join sale_overrides o on o.id = l.id
where l.fips = :fips and l.status <> 'OFF_MARKET' and l.status = 'SOLD' and s.listing_id is null and o.id is null
  and (:apn::text is null or upper(regexp_replace(l.apn, '[^[:alnum:]]', '', 'g')) = :apn)
order by l.sold_date desc nulls last, l.id
limit :limit

-- name: list_overrides
-- Operators' decisions about a county's sales, latest first. `fips`: the county.
select
  o.id, o.used, o.decided_by, o.decided_at, l.apn, to_char(l.sold_date, 'YYYY-MM-DD') as sold_date, l.price::float8 as price,
  l.lot_acres as acres
from sale_overrides o
join listings l on l.id = o.id
where o.fips = :fips
order by o.decided_at desc, o.id

-- name: store_override
-- Stores an operator's decision about a sale in a county. Returns no row if the county has no such sale.
-- `id`: the listing; `used`: whether valuations use it; `by`: the operator.
insert into sale_overrides (id, fips, used, decided_by)
select l.id, l.fips, :used::boolean, actor
from set_config('plat.actor', :by, true) as actor, listings l
where l.id = :id and l.fips = :fips and l.sold_date is not null
on conflict (id) do update
set used = excluded.used, decided_by = excluded.decided_by, decided_at = excluded.decided_at
returning id

-- name: delete_override
-- Deletes an operator's decision about a sale in a county. `by`: the operator who deletes it.
delete from sale_overrides o
using set_config('plat.actor', :by, true) as actor
where o.id = :id and o.fips = :fips and actor <> ''
returning o.id
