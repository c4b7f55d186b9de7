-- name: add_board
-- The board of a user, or of an account without one, unless it is there. $1 account id, $2 user id, or null for the account's own
insert into deal_boards (user_id, account_id)
select o.user_id, case when o.user_id is null then o.id end
from (select id, coalesce($2::uuid, user_id) as user_id from accounts where id = $1) as o
on conflict do nothing

-- name: shift_cards
-- Moves the cards from a place on by some. $1 board id, $2 stage, $3 first place, $4 how far int, $5 the deal that stays
update deals set position = position + $4::int
where board_id = $1 and status = $2 and position >= $3 and id <> $5

-- name: count_column
-- How many other deals a column has. $1 board id, $2 stage, $3 deal id
select count(*)::int as deals from deals where board_id = $1 and status = $2 and id <> $3

-- name: count_deals
-- $1 board id
select count(*)::int as deals from deals where board_id = $1

-- name: delete_deal
-- $1 board id, $2 deal id. Returns where it stood
delete from deals where board_id = $1 and id = $2 returning status, position

-- name: find_board
-- The board of a user, or of an account without one. $1 account id, $2 user id, or null for the account's own
select b.id, b.version, coalesce(u.email, a.name) as author
from accounts a
left join users u on u.id = coalesce($2::uuid, a.user_id)
join deal_boards b on case when u.id is null then b.account_id = a.id else b.user_id = u.id end
where a.id = $1

-- name: find_known
-- Whether a deal can be of these, and in which county. $1 FIPS of the parcel int, $2 its id bigint, $3 listing id uuid; null for none
select
  exists (select true from parcels where fips = $1 and property_id = $2 and retired_at is null) as parcel,
  exists (select true from listings where id = $3) as listing,
  (select fips from listings where id = $3) as fips

-- name: get_deal
-- A deal of a board, for a change. $1 board id, $2 deal id
select id, status, position, deal_type, purchase_price, agent_fee, misc_costs, closing_costs, expected_sell_price,
  contract_expiration_date, closing_date, own_price, own_price_over, own_price_since, listed_price, fetch_status, listing_id,
  listing_url, suggested_action_price
from deals
where board_id = $1 and id = $2

-- name: give_board
-- The board of an account that gets a user becomes theirs; where they have one already, its deals go to the ends of that one's columns.
-- $1 account id, $2 user id
with theirs as (
  update deal_boards set version = version + 1 where user_id = $2 returning id
),
moved as (
  update deals d
  set board_id = t.id, position = d.position + (select count(*) from deals o where o.board_id = t.id and o.status = d.status)
  from deal_boards own, theirs t
  where own.account_id = $1 and d.board_id = own.id
)
update deal_boards set user_id = $2, account_id = null
where account_id = $1 and not exists (select from theirs)

-- name: insert_deal
-- Adds a deal at the end of its column. $1 board id, $2 stage, $3 property id, $4 listing id, $5 address of a page, $6 FIPS, $7 deal type,
-- $8 to $12 purchase price, agent fee, misc and closing costs, expected sell price, $13 and $14 contract's end and closing date,
-- $15 own price, $16 the listing's price at that moment
insert into deals (
  board_id, status, position, property_id, listing_id, listing_url, fips, deal_type, purchase_price, agent_fee, misc_costs,
  closing_costs, expected_sell_price, contract_expiration_date, closing_date, own_price, own_price_over, own_price_since
)
values (
  $1, $2, (select count(*) from deals where board_id = $1 and status = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
  case when $15::numeric is not null then (now() at time zone 'UTC')::date end
)
returning id

-- name: list_deals
-- As answered; moments are text, which dates of 10,000 would outlast. {{figures}} or nothing. $1 board id, $2 deal id or null
select
  d.id, d.address, d.county, d.state, d.acreage, d.price::float8 as price, d.days_on_market, d.traction_score, d.listing_grade,
  d.price_advantage, d.suggested_action, d.suggested_action_price::text as suggested_action_price, d.status, d.deal_type,
  d.expected_profit::text as expected_profit, d.contract_expiration_date, d.closing_date,
  d.property_id, d.listing_id, d.listing_url, d.position, d.fetch_status,
  to_char(d.fetched_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as fetched_at, d.views, d.saves,
  d.purchase_price::text as purchase_price, d.agent_fee::text as agent_fee, d.misc_costs::text as misc_costs,
  d.closing_costs::text as closing_costs, d.expected_sell_price::text as expected_sell_price,
  to_char(d.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(d.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, d.advice {{figures}}
from deals d
where d.board_id = $1 and ($2::uuid is null or d.id = $2)
order by
  array_position('{listed,offer_received,offer_accepted,in_title,sold,on_hold,canceled,""}'::text[], d.status), d.position

-- name: list_events
-- What happened to a deal, the last first. $1 board id, $2 deal id, $3 most rows int
select e.at, e.author, e.cause, e.changes, e.price::float8 as price, e.price_advantage, e.traction_score
from deals d
join deal_events e on e.deal_id = d.id
where d.board_id = $1 and d.id = $2
order by e.id desc
limit $3

-- name: lock_board
-- Lets one transaction at a time change a board. $1 board id
select id from deal_boards where id = $1 for update

-- name: sign_changes
-- Who makes the changes of this transaction, and why. $1 author, $2 cause
select set_config('plat.actor', $1, true), set_config('plat.cause', $2, true)

-- name: touch_boards
-- Tells who looks at boards that they have changed. $1 board ids uuid[]
update deal_boards set version = version + 1 where id = any ($1::uuid[])

-- name: find_listed_price
-- What the live listing that a deal names asks. $1 listing id uuid, $2 address of its page; null for none
select l.price
from listings l
where (l.id = $1::uuid or (l.url <> '' and l.url = $2::text)) and l.status in ('ACTIVE', 'PENDING') and l.price > 0
order by l.id = $1 desc, l.status = 'ACTIVE' desc, l.listed_date desc nulls last, l.id
limit 1

-- name: update_deal
-- Writes what a person may change. Another price ends the advice until it is graded anew; where the deal was graded by a price that is
-- taken back, that ends, too. $1 board id, $2 deal id, $3 stage, $4 place, $5 deal type, $6 to $10 purchase price, agent fee, misc and
-- closing costs, expected sell price, $11 and $12 contract's end and closing date, $13 own price, $14 the listing's price at that moment,
-- $15 whether it stands for a listing
update deals
set status = $3, position = $4, deal_type = $5, purchase_price = $6, agent_fee = $7, misc_costs = $8, closing_costs = $9,
  expected_sell_price = $10, contract_expiration_date = $11, closing_date = $12, own_price = $13, own_price_over = $14,
  own_price_since = case when $15::boolean then coalesce(own_price_since, (now() at time zone 'UTC')::date) end,
  updated_at = now(),
  days_on_market = case when own_price_since is null or $15 then days_on_market end,
  traction_score = case when own_price_since is null or $15 then traction_score end,
  price_advantage = case when own_price_since is null or $15 then price_advantage end,
  listing_grade = case when own_price_since is null or $15 then listing_grade else '' end,
  figures = case when own_price_since is null or $15 then figures end,
  suggested_action = case when $3 = 'listed' and own_price is not distinct from $13::numeric then suggested_action else '' end,
  suggested_action_price = case when $3 = 'listed' and own_price is not distinct from $13::numeric then suggested_action_price end,
  advice = case when $3 = 'listed' and own_price is not distinct from $13::numeric then advice end
where board_id = $1 and id = $2

-- name: find_listings
-- The listings that deals name, whatever became of them. $1 ids uuid[], $2 addresses of pages text[], $3 today date
select
  l.id, l.status, nullif((l.price * 100)::int8, 0) as cents, nullif(l.lot_acres, 0) as acres,
  coalesce(l.days_on_market, case when l.listed_date <= $3::date then $3::date - l.listed_date end) as days, l.views, l.saves,
  l.apn, l.address, l.zip, l.state, l.county, l.url, l.fips, l.location[0] as x, l.location[1] as y
from listings l
where l.id = any ($1::uuid[]) or (l.url <> '' and l.url = any ($2::text[]))
order by l.status = 'ACTIVE' desc, l.status = 'PENDING' desc, l.listed_date desc nulls last, l.id

-- name: find_lots
-- A county's parcels with one of these numbers, or around a point. $1 FIPS int, $2 APNs text[], $3 points in 1e-7 degree text[]
select p.property_id, p.apn, p.effective_acres as acres, p.boundary
from parcels p
join (
  select n.property_id
  from parcels n
  where n.fips = $1 and n.retired_at is null
    and n.apn_normalized in (select upper(translate(apn, ' .-', '')) from unnest($2::text[]) as apn)
  union
  select f.property_id
  from unnest($3::text[]) as place
  join parcel_filters f on f.fips = $1 and f.extent @> box(place::point, place::point)
) as near on near.property_id = p.property_id
where p.fips = $1 and p.retired_at is null

-- name: get_market_day
-- The day of a county's market: today in UTC, unless all its listings come from snapshots: the latest's. $1 FIPS int
select to_char(
  case when bool_and(f.as_of is not null) then max(f.as_of) else (now() at time zone 'UTC')::date end, 'YYYY-MM-DD'
) as day
from (select distinct feed_id from listings where fips = $1 and status <> 'OFF_MARKET') as used
join feeds f on f.id = used.feed_id

-- name: list_counties
-- The counties whose listed deals are graded together, and those that are looked for. $1 FIPS of the one that matters, or null for all
select distinct fips
from deals
where fips is not null and (status = 'listed' or seen_at is null) and ($1::int is null or fips = $1)
order by fips

-- name: list_live
-- What is on the market in a county, the newest first. $1 county FIPS int, $2 the market's day date
select
  l.id, l.status, nullif((l.price * 100)::int8, 0) as cents, nullif(l.lot_acres, 0) as acres,
  coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days, l.views, l.saves,
  l.apn, l.address, l.zip, l.state, l.county, l.url, l.fips, l.location[0] as x, l.location[1] as y
from listings l
cross join lateral (select case when l.status = 'ACTIVE' then $2::date else l.status_date end as day) as latest
where l.fips = $1 and l.status in ('ACTIVE', 'PENDING')
order by l.status = 'ACTIVE' desc, l.listed_date desc nulls last, l.id

-- name: list_marked_counties
-- The counties with listed deals among those whose listings a merge has touched, before their statistics are computed. No parameters
select distinct d.fips
from stats_dirty s
join deals d on d.fips = s.code::int and (d.status = 'listed' or d.seen_at is null)
where s.type = 'county'
order by d.fips

-- name: list_strays
-- Deals that no county's run looks for: of a page that only a provider can read, and those of an unknown county. No parameters
select id as deal from deals
where (status = 'listed' or seen_at is null) and (fips is null or (listing_url is not null and listing_id is null))
order by id

-- name: list_sold
-- How long the sales of a county's last year were on the market, and their acres. $1 county FIPS int, $2 the market's day date
select lot_acres as acres, days_on_market as days
from counted_listings
where fips = $1 and status = 2::"char" and sold_date > ($2::date - interval '1 year')::date and sold_date <= $2::date
  and days_on_market is not null

-- name: list_unfinished
-- Deals to be looked at: one, or those of a county that are listed or were never found. $1 deal id or null, $2 county FIPS or null
select d.id, d.board_id, d.status, d.property_id, d.listing_id, d.listing_url, d.seen_at, d.fips, d.address, d.county, d.state,
  d.acreage, d.listed_price, d.own_price, d.own_price_over, d.days_on_market, d.views, d.saves, d.fetch_status, d.fetched_at,
  d.traction_score, d.price_advantage, d.listing_grade, d.suggested_action, d.suggested_action_price,
  d.purchase_price, d.agent_fee, d.misc_costs, d.closing_costs, d.expected_sell_price, d.own_price_since, d.advice
from deals d
where case when $1::uuid is null then d.fips = $2 and (d.status = 'listed' or d.seen_at is null) else d.id = $1 end
order by d.id

-- name: lock_boards
-- Holds the boards of the deals that list_unfinished finds, in one order for all jobs. $1 deal id or null, $2 county FIPS or null
select b.id from deal_boards b
where b.id in (
  select d.board_id from deals d
  where case when $1::uuid is null then d.fips = $2 and (d.status = 'listed' or d.seen_at is null) else d.id = $1 end
)
order by b.id
for update

-- name: read_lots
-- What deals need of their parcels. $1 county FIPS int, $2 property ids bigint[]
select p.property_id, p.apn, p.situs_address as address, p.situs_zip as zip, p.situs_state as state,
  p.effective_acres as acres, p.boundary, (round(v.mean_adjusted_price::numeric, 2) * 100)::int8 as adjusted,
  (round(v.low_price::numeric, 2) * 100)::int8 as low, (round(v.high_price::numeric, 2) * 100)::int8 as high,
  not v.out_of_support as supported
from parcels p
left join valuations v on v.fips = $1 and v.property_id = p.property_id
where p.fips = $1 and p.property_id = any ($2::bigint[])

-- name: store_found
-- Writes what was found of deals, and what it makes of them. $1 rows jsonb
update deals d
set fetched_at = now(), fetch_status = r.fetch_status, seen_at = r.seen_at, property_id = r.property_id, listing_id = r.listing_id,
  fips = r.fips, address = r.address, county = r.county, state = r.state, acreage = r.acreage, listed_price = r.listed_price,
  own_price = r.own_price, own_price_over = r.own_price_over, own_price_since = r.own_price_since, days_on_market = r.days_on_market, views = r.views, saves = r.saves,
  traction_score = r.traction_score, price_advantage = r.price_advantage, listing_grade = r.listing_grade,
  suggested_action = r.suggested_action, suggested_action_price = r.suggested_action_price, advice = r.advice, figures = r.figures
from jsonb_to_recordset($1::jsonb) as r (
  id uuid, fetch_status text, seen_at timestamptz, property_id bigint, listing_id uuid, fips int, address text, county text, state text,
  acreage float8, listed_price numeric, own_price numeric, own_price_over numeric, own_price_since date, days_on_market int, views int, saves int,
  traction_score int, price_advantage int, listing_grade text, suggested_action text, suggested_action_price numeric, advice jsonb,
  figures jsonb
)
where d.id = r.id

-- name: get_page
-- Whether a page is for the provider alone, when that told of it last, and whether a feed has it. $1 deal id
select listing_url, case when listing_id is null then seen_at end as asked_at,
  exists (select true from listings l where l.url <> '' and l.url = d.listing_url) as in_feeds
from deals d
where id = $1

-- name: find_live
-- On the market, the newest first. $1 pattern of the address in capitals, $2 APN as written, or null; $3 county FIPS int, $4 ZIP, or null for anywhere
select l.id, l.address, l.city, l.state, l.county, l.apn, l.lot_acres as acres, l.price::text as price
from listings l
where l.status in ('ACTIVE', 'PENDING')
  and (l.address <> '' and upper(l.address) like $1 or l.fips = $3 and l.apn <> '' and upper(l.apn) = upper($2))
  and ($3::int is null or l.fips = $3)
  and ($4::text is null or l.zip = $4)
order by l.listed_date desc nulls last, l.id
limit 9

-- name: read_versions
-- How often boards have changed. $1 ids uuid[]
select id, version from deal_boards where id = any ($1::uuid[])

-- name: count_waiting
-- How many deals wait to be looked for. No parameters
select count(*)::int as waiting from deals where fetch_status = 'waiting'
