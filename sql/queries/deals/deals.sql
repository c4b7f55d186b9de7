-- name: add_board
-- Creates the board for a user, or for an account without a user, if it doesn't exist. `user_id`: null for
-- the account's user, if it has one.
insert into deal_boards (user_id, account_id)
select o.user_id, case when o.user_id is null then o.id end
from (select id, coalesce(:user_id::uuid, user_id) as user_id from accounts where id = :account_id) as o
on conflict do nothing

-- name: shift_cards
-- Moves the cards of a column by `offset`, starting at `first_place`. `deal_id`: a deal that stays in place.
update deals set position = position + :offset::int
where board_id = :board_id and status = :stage and position >= :first_place and id <> :deal_id

-- name: count_column
-- Counts the other deals in a column.
select count(*)::int as deals from deals where board_id = :board_id and status = :stage and id <> :deal_id

-- name: count_deals
-- Counts the deals on a board.
select count(*)::int as deals from deals where board_id = :board_id

-- name: delete_deal
-- Removes a deal, and returns its stage and position.
delete from deals where board_id = :board_id and id = :deal_id returning status, position

-- name: delete_old_events
-- Deletes events older than a year whose deals were removed.
delete from deal_events e
where e.at < now() - interval '1 year' and not exists (select from deals d where d.id = e.deal_id);

-- name: find_board
-- Finds the board of a user, or of an account without a user. `user_id`: null for the account's user, if it
-- has one.
select b.id, b.version, coalesce(u.email, a.name) as author
from accounts a
left join users u on u.id = coalesce(:user_id::uuid, a.user_id)
join deal_boards b on case when u.id is null then b.account_id = a.id else b.user_id = u.id end
where a.id = :account_id

-- name: find_known
-- Returns whether the parcel and the listing of a deal exist, and their county. `fips`: the parcel's FIPS
-- code. `listing_id`: null for none.
select
  exists (select true from parcels where fips = :fips and property_id = :id and retired_at is null) as parcel,
  exists (select true from listings where id = :listing_id) as listing,
  (select fips from listings where id = :listing_id) as fips

-- name: get_deal
-- Reads a deal that is about to change.
select id, status, position, deal_type, purchase_price, agent_fee, misc_costs, closing_costs, expected_sell_price,
  contract_expiration_date, closing_date, own_price, own_price_over, own_price_since, listed_price, fetch_status, listing_id,
  listing_url, suggested_action,
  suggested_action_price, advice ->> 'price' as advised_price, advice_held_until, advice_dismissed_on
from deals
where board_id = :board_id and id = :deal_id

-- name: give_board
-- Gives an account's board to the user that the account was assigned to. If the user already has a board, the
-- deals go to the ends of its columns.
with theirs as (
  update deal_boards set version = version + 1 where user_id = :user_id returning id
),
moved as (
  update deals d
  set board_id = t.id, position = d.position + (select count(*) from deals o where o.board_id = t.id and o.status = d.status)
  from deal_boards own, theirs t
  where own.account_id = :account_id and d.board_id = own.id
)
update deal_boards set user_id = :user_id, account_id = null
where account_id = :account_id and not exists (select from theirs)

-- name: hand_over_deals
-- Moves the deals of one board to the ends of another board's columns. Locks both boards.
with target as (
  update deal_boards set version = version + 1 where id = :to_board returning id
)
update deals d
set board_id = t.id, position = d.position + (select count(*) from deals o where o.board_id = t.id and o.status = d.status)
from target t
where d.board_id = :from_board

-- name: insert_deal
-- Adds a deal at the end of its column. `url`: URL of the listing page. `listed_price`: the listing's current
-- price.
insert into deals (
  board_id, status, position, property_id, listing_id, listing_url, fips, deal_type, purchase_price, agent_fee, misc_costs,
  closing_costs, expected_sell_price, contract_expiration_date, closing_date, own_price, own_price_over, own_price_since
)
values (
  :board_id, :stage, (select count(*) from deals where board_id = :board_id and status = :stage), :property_id, :listing_id, :url, :fips, :deal_type, :purchase_price, :agent_fee, :misc_costs, :closing_costs, :expected_sell_price, :contract_expiration_date, :closing_date, :own_price, :listed_price,
  case when :own_price::numeric is not null then (now() at time zone 'UTC')::date end
)
returning id

-- name: list_deals
-- Deals as the API returns them. Times are text, because a Date can't hold every stored year. Advice from
-- older versions gets an action. {{figures}}: the column of figures, or empty. `deal_id`: null for all.
select
  d.id, d.address, d.county, d.state, d.acreage, d.price::float8 as price, d.days_on_market, d.traction_score, d.listing_grade,
  d.price_advantage, d.suggested_action, d.suggested_action_price::text as suggested_action_price, d.status, d.deal_type,
  d.expected_profit::text as expected_profit, d.contract_expiration_date, d.closing_date,
  d.property_id, d.listing_id, d.listing_url, d.position, d.fetch_status,
  to_char(d.fetched_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as fetched_at, d.views, d.saves,
  d.purchase_price::text as purchase_price, d.agent_fee::text as agent_fee, d.misc_costs::text as misc_costs,
  d.closing_costs::text as closing_costs, d.expected_sell_price::text as expected_sell_price,
  to_char(d.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(d.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
  jsonb_build_object(
    'action', d.suggested_action, 'price', d.suggested_action_price::text, 'valuation_problems', '[]'::jsonb
  ) || d.advice as advice,
  d.advice_held_until,
  d.advice_dismissed_on is not null as advice_dismissed {{figures}}
from deals d
where d.board_id = :board_id and (:deal_id::uuid is null or d.id = :deal_id)
order by
  array_position('{under_contract,listed,offer_received,offer_accepted,in_title,sold,on_hold,canceled,""}'::text[], d.status), d.position

-- name: list_events
-- Lists the history of a deal, newest first.
select e.at, e.author, e.cause, e.changes, e.price::float8 as price, e.price_advantage, e.traction_score
from deals d
join deal_events e on e.deal_id = d.id
where d.board_id = :board_id and d.id = :deal_id
order by e.id desc
limit :limit

-- name: lock_board
-- Allows one transaction at a time to change a board.
select id from deal_boards where id = :board_id for update

-- name: sign_changes
-- Sets the author and cause for this transaction's changes.
select set_config('plat.actor', :author, true), set_config('plat.cause', :cause, true)

-- name: touch_boards
-- Increases the version of boards, so that open pages reload them.
update deal_boards set version = version + 1 where id = any (:board_ids::uuid[])

-- name: find_listed_price
-- Finds the list price of a deal's live listing. `url`: URL of its page, or null.
select l.price
from listings l
where (l.id = :listing_id::uuid or (l.url <> '' and l.url = :url::text)) and l.status in ('ACTIVE', 'PENDING') and l.price > 0
order by l.id = :listing_id desc, l.status = 'ACTIVE' desc, l.listed_date desc nulls last, l.id
limit 1

-- name: update_deal
-- Updates the fields that people can change. A new price clears the advice until the deal is graded again. If
-- the user's own price was the basis of the grade and is removed, the grade is cleared too. `listed_price`:
-- the listing's current price. `has_listing`: whether the deal has a listing.
update deals
set status = :stage, position = :place, deal_type = :deal_type, purchase_price = :purchase_price, agent_fee = :agent_fee, misc_costs = :misc_costs, closing_costs = :closing_costs,
  expected_sell_price = :expected_sell_price, contract_expiration_date = :contract_expiration_date, closing_date = :closing_date, own_price = :own_price, own_price_over = :listed_price,
  own_price_since = case when :has_listing::boolean then coalesce(own_price_since, (now() at time zone 'UTC')::date) end,
  updated_at = now(),
  days_on_market = case when own_price_since is null or :has_listing then days_on_market end,
  traction_score = case when own_price_since is null or :has_listing then traction_score end,
  price_advantage = case when own_price_since is null or :has_listing then price_advantage end,
  listing_grade = case when own_price_since is null or :has_listing then listing_grade else '' end,
  figures = case when own_price_since is null or :has_listing then figures end,
  suggested_action = case when :stage = 'listed' and own_price is not distinct from :own_price::numeric then suggested_action else '' end,
  suggested_action_price = case when :stage = 'listed' and own_price is not distinct from :own_price::numeric then suggested_action_price end,
  advice = case when :stage = 'listed' and own_price is not distinct from :own_price::numeric then advice end,
  advice_held_until = case when :stage = 'listed' and own_price is not distinct from :own_price::numeric then :held_until::date end,
  advice_dismissed_on = case when :stage = 'listed' and own_price is not distinct from :own_price::numeric and :dismissed::boolean
    then coalesce(advice_dismissed_on, (now() at time zone 'UTC')::date) end
where board_id = :board_id and id = :deal_id

-- name: find_listings
-- Finds the listings of deals, whatever their status. `urls`: URLs of listing pages.
select
  l.id, l.status, nullif((l.price * 100)::int8, 0) as cents, nullif(l.lot_acres, 0) as acres,
  coalesce(l.days_on_market, case when l.listed_date <= :today::date then :today::date - l.listed_date end) as days, l.views, l.saves,
  l.apn, l.address, l.zip, l.state, l.county, l.url, l.fips, l.location[0] as x, l.location[1] as y
from listings l
where l.id = any (:ids::uuid[]) or (l.url <> '' and l.url = any (:urls::text[]))
order by l.status = 'ACTIVE' desc, l.status = 'PENDING' desc, l.listed_date desc nulls last, l.id

-- name: find_lots
-- Finds a county's parcels by number or by a point in their extent.
select p.property_id, p.apn, p.effective_acres as acres, p.boundary
from parcels p
join (
  select n.property_id
  from parcels n
  where n.fips = :fips and n.retired_at is null
    and n.apn_normalized in (select upper(translate(apn, ' .-', '')) from unnest(:apns::text[]) as apn)
  union
  select f.property_id
  from unnest(:points::text[]) as place
  join parcel_filters f on f.fips = :fips and f.extent @> box(place::point, place::point)
) as near on near.property_id = p.property_id
where p.fips = :fips and p.retired_at is null

-- name: get_market_day
-- The as-of date of a county's market: today in UTC, or the date of the latest snapshot if all its listings
-- come from snapshots.
select to_char(
  case when bool_and(f.as_of is not null) then max(f.as_of) else (now() at time zone 'UTC')::date end, 'YYYY-MM-DD'
) as day
from (select distinct feed_id from listings where fips = :fips and status <> 'OFF_MARKET') as used
join feeds f on f.id = used.feed_id

-- name: list_counties
-- Counties with listed deals, which are graded together, or with deals that Plat is still searching for.
-- `fips`: only this county, or null for all.
select distinct fips
from deals
where fips is not null and (status = 'listed' or seen_at is null) and (:fips::int is null or fips = :fips)
order by fips

-- name: list_elasticities
-- The elasticity of price per acre with respect to acres in each county, estimated from its own sales.
select fips, (estimates #>> '{effects,0,value}')::float8 as value, (estimates #>> '{effects,0,variance}')::float8 as variance
from valuation_counties
where estimates #>> '{effects,0,value}' is not null and estimates #>> '{effects,0,variance}' is not null

-- name: list_live
-- Active and pending listings of a county, newest first.
select
  l.id, l.status, nullif((l.price * 100)::int8, 0) as cents, nullif(l.lot_acres, 0) as acres,
  coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days, l.views, l.saves,
  l.apn, l.address, l.zip, l.state, l.county, l.url, l.fips, l.location[0] as x, l.location[1] as y
from listings l
cross join lateral (select case when l.status = 'ACTIVE' then :as_of::date else l.status_date end as day) as latest
where l.fips = :fips and l.status in ('ACTIVE', 'PENDING')
order by l.status = 'ACTIVE' desc, l.listed_date desc nulls last, l.id

-- name: list_marked_counties
-- Counties with deals whose listings changed in a merge, read before their statistics are recomputed.
select distinct d.fips
from stats_dirty s
join deals d on d.fips = s.code::int and (d.status = 'listed' or d.seen_at is null)
where s.type = 'county'
order by d.fips

-- name: list_strays
-- Deals that no county job covers: those whose page only a provider can read, and those whose county is
-- unknown.
select id as deal from deals
where (status = 'listed' or seen_at is null) and (fips is null or (listing_url is not null and listing_id is null))
order by id

-- name: list_sold
-- Days on market and acres for a county's sales in the last year.
select lot_acres as acres, days_on_market as days
from counted_listings
where fips = :fips and status = 2::"char" and sold_date > (:as_of::date - interval '1 year')::date and sold_date <= :as_of::date
  and days_on_market is not null

-- name: list_unfinished
-- Deals to update: a single deal, or those in a county that are listed or were never found. Either `deal_id`
-- or `fips` is null.
select d.id, d.board_id, d.status, d.property_id, d.listing_id, d.listing_url, d.seen_at, d.fips, d.address, d.county, d.state,
  d.acreage, d.listed_price, d.own_price, d.own_price_over, d.days_on_market, d.views, d.saves, d.fetch_status, d.fetched_at,
  d.traction_score, d.price_advantage, d.listing_grade, d.suggested_action, d.suggested_action_price,
  d.purchase_price, d.agent_fee, d.misc_costs, d.closing_costs, d.expected_sell_price, d.own_price_since, d.advice
from deals d
where case when :deal_id::uuid is null then d.fips = :fips and (d.status = 'listed' or d.seen_at is null) else d.id = :deal_id end
order by d.id

-- name: lock_boards
-- Locks the boards of the deals that list_unfinished finds, in the same order in all jobs. Either `deal_id`
-- or `fips` is null.
select b.id from deal_boards b
where b.id in (
  select d.board_id from deals d
  where case when :deal_id::uuid is null then d.fips = :fips and (d.status = 'listed' or d.seen_at is null) else d.id = :deal_id end
)
order by b.id
for update

-- name: read_lots
-- Reads the parcels of deals, with their estimated values.
select p.fips, p.property_id, p.apn, p.situs_address as address, p.situs_zip as zip, p.situs_state as state,
  p.effective_acres as acres, p.acres as stated_acres, p.calculated_acres, p.land_use_code,
  p.retired_at is not null as retired, p.boundary, (round(v.mean_adjusted_price::numeric, 2) * 100)::int8 as adjusted,
  (round(v.low_price::numeric, 2) * 100)::int8 as low, (round(v.high_price::numeric, 2) * 100)::int8 as high,
  v.out_of_support
from parcels p
left join valuations v on v.fips = :fips and v.property_id = p.property_id
where p.fips = :fips and p.property_id = any (:property_ids::bigint[])

-- name: store_found
-- Stores what Plat found for deals, with their grades and advice. Dismissed advice returns when Plat suggests
-- another action.
update deals d
set fetched_at = now(), fetch_status = r.fetch_status, seen_at = r.seen_at, property_id = r.property_id, listing_id = r.listing_id,
  fips = r.fips, address = r.address, county = r.county, state = r.state, acreage = r.acreage, listed_price = r.listed_price,
  own_price = r.own_price, own_price_over = r.own_price_over, own_price_since = r.own_price_since, days_on_market = r.days_on_market, views = r.views, saves = r.saves,
  traction_score = r.traction_score, price_advantage = r.price_advantage, listing_grade = r.listing_grade,
  suggested_action = r.suggested_action, suggested_action_price = r.suggested_action_price, advice = r.advice, figures = r.figures,
  advice_dismissed_on = case
    when coalesce(r.advice ->> 'action', r.suggested_action) = coalesce(d.advice ->> 'action', d.suggested_action)
      then d.advice_dismissed_on
  end
from jsonb_to_recordset(:rows::jsonb) as r (
  id uuid, fetch_status text, seen_at timestamptz, property_id bigint, listing_id uuid, fips int, address text, county text, state text,
  acreage float8, listed_price numeric, own_price numeric, own_price_over numeric, own_price_since date, days_on_market int, views int, saves int,
  traction_score int, price_advantage int, listing_grade text, suggested_action text, suggested_action_price numeric, advice jsonb,
  figures jsonb
)
where d.id = r.id

-- name: get_page
-- Returns the URL of a deal's listing page, when the provider last returned the page, and whether a feed has
-- it.
select listing_url, case when listing_id is null then seen_at end as asked_at,
  exists (select true from listings l where l.url <> '' and l.url = d.listing_url) as in_feeds
from deals d
where id = :deal_id

-- name: find_live
-- Active and pending listings with an address or APN, newest first. `pattern`: LIKE pattern for the address
-- in capitals. `apn`: APN as written, or null. `zip`: ZIP, or null for any.
select l.id, l.address, l.city, l.state, l.county, l.apn, l.lot_acres as acres, l.price::text as price
from listings l
where l.status in ('ACTIVE', 'PENDING')
  and (l.address <> '' and upper(l.address) like :pattern or l.fips = :fips and l.apn <> '' and upper(l.apn) = upper(:apn))
  and (:fips::int is null or l.fips = :fips)
  and (:zip::text is null or l.zip = :zip)
order by l.listed_date desc nulls last, l.id
limit 9

-- name: read_versions
-- Reads the versions of boards.
select id, version from deal_boards where id = any (:ids::uuid[])

-- name: count_waiting
-- Counts the deals that are waiting to be searched for the first time.
select count(*)::int as waiting from deals where fetch_status = 'waiting'

-- name: get_listing
-- Reads the source, date, and price of a listing.
select source, listed_date, nullif(price, 0)::float8 as price from listings where id = :id
