-- name: clear_history
-- Deletes the computed history of regions. Recorded months are kept.
delete from market_history h
using unnest(:types::text[], :codes::text[]) as r (type, code)
where h.type = r.type and h.code = r.code and h.told is null;

-- name: copy_dated_listings
-- Sales and periods on the market with their dates. {{scope}}: a condition that contains only literals.
copy (select * from dated_listings where {{scope}}) to stdout (format binary);

-- name: copy_history
-- Writes statistics for past dates, with the columns in the order that workers/market/restate-history.ts
-- uses.
copy market_history (type, code, as_of, figures) from stdin;

-- name: has_recorded
-- Whether the statistics at the end of a month are recorded.
select exists (select from market_history where as_of = :day and told is not null) as recorded;

-- name: list_recorded
-- For each region, the recorded dates after the given date.
select h.type, h.code, h.as_of
from unnest(:types::text[], :codes::text[], :after::date[]) as r (type, code, after)
join market_history h on h.type = r.type and h.code = r.code and h.as_of > r.after and h.told is not null;

-- name: list_restated
-- All regions, or some of them, with the date through which their history is computed. `codes`: null for
-- every region.
select r.type, r.code, c.through, c.digest
from regions r
left join restated_regions c using (type, code)
where :types::text[] is null
  or (r.type, r.code) in (select * from unnest(:types::text[], :codes::text[]))
order by r.type, r.code;

-- name: record_month
-- Records all regions' current statistics as their statistics at the end of a past day. Skips regions whose
-- statistics were written after that day.
insert into market_history (type, code, as_of, told, figures)
select s.type, s.code, :day::date, left(b.body, position('"stats":' in b.body) - 1), s.figures
from region_stats s
cross join lateral (select convert_from(s.body, 'UTF8') as body) b
where s.figures is not null and s.listings > 0 and s.computed_at < (:day::date + 1)::timestamp at time zone 'UTC'
on conflict (type, code, as_of) do update set told = excluded.told, figures = excluded.figures
where market_history.told is null;

-- name: store_restated
-- Stores the date through which the history of regions is computed, and a digest of the listings it is based
-- on.
insert into restated_regions (type, code, through, digest)
select r.type, r.code, :through::date, r.digest
from unnest(:types::text[], :codes::text[], :digests::text[]) as r (type, code, digest)
on conflict (type, code) do update set through = excluded.through, digest = excluded.digest;

-- name: list_dated_listings
-- Sales and periods on the market of one region, in the units of copy_dated_listings. {{where}}: the region.
select status::int, cents, lot_acres as acres, since - '1970-01-01' as since, until - '1970-01-01' as until, days_on_market, asked,
  feed_day - '1970-01-01' as feed_day, listed_from - '1970-01-01' as listed_from
from dated_listings
where {{where}};

-- name: list_figures
-- The figures of regions, with their names: the current ones, or with `as_of`, those at the end of a month.
-- `types`: null for every region of the type and state that has listings.
select r.id, r.type, r.code, r.name, r.state, r.county_name, s.as_of,
  case when :as_of::date is null then s.figures else h.figures end as figures,
  case when :as_of::date is null then null else h.told is not null end as recorded,
  case when :as_of::date is not null then c.price_index end as price_index
from regions r
join region_stats s using (type, code)
left join market_history h on h.type = r.type and h.code = r.code and h.as_of = :as_of
left join valuation_counties c on r.type = 'county' and c.fips = r.fips
where case when :types::text[] is null
  then s.listings > 0 and r.type = :type::text and (:state::text is null or r.state = :state)
  else (r.type, r.code) in (select * from unnest(:types::text[], :codes::text[]))
end;

-- name: list_price_indexes
-- The knots of counties' price indexes.
select fips, price_index from valuation_counties where fips = any(:fips::int[]);

-- name: read_history
-- The months of regions, latest first: those between two dates, or up to a number of months. `n`: index of
-- the region.
select asked.n, h.as_of, h.told is not null as recorded, h.figures
from unnest(:types::text[], :codes::text[], :from::date[], :to::date[], :most::int[]) with ordinality
  as asked (type, code, first, last, most, n)
cross join lateral (
  select as_of, told, figures
  from market_history h
  where h.type = asked.type and h.code = asked.code
    and h.as_of between coalesce(asked.first, '-infinity') and coalesce(asked.last, 'infinity')
  order by h.as_of desc
  limit asked.most
) h;

-- name: read_recorded
-- What the statistics endpoint returned for a region at the end of a day: `told` is the response up to the
-- statistics, and `figures` are the statistics. Returns no row if that day is not recorded.
select told, figures from market_history where type = :type and code = :code and as_of = :as_of and told is not null;
