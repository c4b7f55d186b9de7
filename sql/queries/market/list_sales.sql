-- Turns recorded sales into comps. Parcels with the same deed were sold together. If the source doesn't
-- identify deeds, parcels with the same day, price, and seller were sold together. A deed may have two dates,
-- signing and recording. Some counties restart their deed numbers each year, but deeds with the same number
-- are then more than `deed_days` apart. A stored sale keeps its acreage and location if the parcel has been
-- split or merged since. Fragment: recorded, the staged sales. `label`: label of the source.
-- `most_correction`: the largest change of acreage that counts as a correction, as a share of the stored
-- acreage. `deed_days`: the maximum number of days between the dates of one deed.
with recorded as (
  {{recorded}}
),
sales as (
  select
    *,
    coalesce(last_sale_price, 0) as price,
    sale and coalesce(last_sale_price, 0) >= :least_price as qualified,
    format('%s/%s/%s', lpad(fips::text, 5, '0'), key, last_sale_date) as source_id
  from recorded
),
shown as (
  select fips, key, last_sale_date, price, seller
  from sales
  where several is null
  union all
  select fips, source_key, last_sale_date, coalesce(last_sale_price, 0), upper(coalesce(seller_name, ''))
  from parcels
  where fips = any (:counties::int[]) and feed_id = :feed_id and retired_at is null and last_sale_date is not null
),
alike as (
  select fips, last_sale_date, price, seller
  from shown
  where price >= :least_price
  group by fips, last_sale_date, price, seller
  having min(key) <> max(key)
),
deeds_shown as (
  select fips, key, last_sale_date, book
  from sales
  where book is not null
  union all
  select fips, substr(source_id, 7, length(source_id) - 17), sold_date, deed
  from listings
  where source = :label and feed_id = :feed_id and fips = any (:counties::int[]) and deed is not null
),
deeds_apart as (
  select *, last_sale_date - lag(last_sale_date) over (partition by fips, book order by last_sale_date) > :deed_days as later
  from deeds_shown
),
deeds_told_apart as (
  select *, count(*) filter (where later) over (partition by fips, book order by last_sale_date) as number
  from deeds_apart
),
deeds_of_several as (
  select fips, book, min(last_sale_date) as first_day, max(last_sale_date) as last_day
  from deeds_told_apart
  group by fips, book, number
  having min(key) <> max(key)
),
-- A sale of the same parcel at the same price within a month, from another feed, is the same sale. Feeds may
-- report the date of the deed, its recording date, or the first of the month.
elsewhere as (
  select distinct s.source_id
  from sales s
  join listings o on o.fips = s.fips
    and upper(regexp_replace(o.apn, '[^[:alnum:]]', '', 'g')) = upper(regexp_replace(s.apn, '[^[:alnum:]]', '', 'g'))
    and o.price = s.price
    and o.status = 'SOLD'
    and o.feed_id <> :feed_id
    and o.sold_date between s.last_sale_date - 31 and s.last_sale_date + 31
  where s.qualified and s.apn ~ '[[:alnum:]]'
),
judged as (
  select
    s.*,
    coalesce(s.several, a.fips is not null) or d.fips is not null
      or coalesce(l.status = 'OFF_MARKET' and l.sale_type = :several_sale_type and l.price = s.price, false) as multi_parcel,
    own.known,
    e.source_id is not null and not own.known as repeated,
    l.lot_acres as stored_acres,
    l.location as stored_location
  from sales s
  left join alike a using (fips, last_sale_date, price, seller)
  left join deeds_of_several d on d.fips = s.fips and d.book = s.book and s.last_sale_date between d.first_day and d.last_day
  left join elsewhere e using (source_id)
  left join listings l on l.source = :label and l.source_id = s.source_id
  cross join lateral (select coalesce(l.status = 'SOLD' and l.feed_id = :feed_id, false) as known) as own
)
select
  j.fips, j.source_id, j.row_no,
  case when j.qualified and not j.multi_parcel then 'SOLD' else 'OFF_MARKET' end as status,
  j.qualified,
  j.multi_parcel,
  j.repeated,
  j.situs_address, j.situs_city, j.situs_state, j.situs_zip, j.apn, j.last_sale_date, j.last_sale_price, j.book,
  case when land.kept then j.stored_acres else land.acres end as lot_acres,
  case when land.kept then j.stored_location else j.location end as location
from judged j
cross join lateral (
  select
    j.acres,
    -- A sale also keeps its stored acreage if the roll no longer states one.
    j.stored_acres is not null and coalesce(abs(j.acres - j.stored_acres) > :most_correction * j.stored_acres, true) as kept
) as land
where j.qualified or j.known
order by j.fips, j.row_no
