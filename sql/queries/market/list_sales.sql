-- The roll's own last sales as comps. A price shared by several parcels on one date from one seller is one deed; a known sale keeps its acreage and place
-- where the parcel was split or merged since. $1 label of the source text, $2 least price bigint, $3 sale_type of a sale of several parcels text, $4 feed id
-- int, $5 the roll's counties int[], $6 the largest correction of an acreage, as a share of it float8
with dated as (
  select
    fips, key, row_no, situs_address, situs_city, situs_state, situs_zip, apn, acres, last_sale_date, last_sale_price,
    upper(coalesce(seller_name, '')) as seller, sale
  from stage_roll
  where last_sale_date is not null
  union all
  -- A row's earlier sales; of several on one day the dearest, and of the last one's day none.
  (
    select distinct on (r.fips, r.key, p.date)
      r.fips, r.key, r.row_no, r.situs_address, r.situs_city, r.situs_state, r.situs_zip, r.apn, r.acres, p.date, p.price,
      upper(coalesce(p.book, '')), true
    from stage_roll r
    cross join lateral jsonb_to_recordset(r.prior) as p (date date, price bigint, book text)
    where p.date is distinct from r.last_sale_date
    order by 1, 2, p.date, p.price desc
  )
),
sales as (
  select
    *,
    coalesce(last_sale_price, 0) as price,
    sale and coalesce(last_sale_price, 0) >= $2 as qualified,
    format('%s/%s/%s', lpad(fips::text, 5, '0'), key, last_sale_date) as source_id
  from dated
),
shown as (
  select fips, key, last_sale_date, price, seller
  from sales
  union all
  select fips, source_key, last_sale_date, coalesce(last_sale_price, 0), upper(coalesce(seller_name, ''))
  from parcels
  where fips = any ($5::int[]) and feed_id = $4 and retired_at is null and last_sale_date is not null
),
deeds_of_several as (
  select fips, last_sale_date, price, seller
  from shown
  where price >= $2
  group by fips, last_sale_date, price, seller
  having min(key) <> max(key)
),
judged as (
  select
    s.*,
    d.fips is not null
      or coalesce(l.status = 'OFF_MARKET' and l.sale_type = $3 and l.price = s.price, false) as multi_parcel,
    coalesce(l.status = 'SOLD', false) as known,
    l.lot_acres as stored_acres,
    l.location as stored_location
  from sales s
  left join deeds_of_several d using (fips, last_sale_date, price, seller)
  left join listings l on l.source = $1 and l.source_id = s.source_id
)
select
  j.fips, j.source_id, j.row_no,
  case when j.qualified and not j.multi_parcel then 'SOLD' else 'OFF_MARKET' end as status,
  j.qualified,
  j.multi_parcel,
  j.situs_address, j.situs_city, j.situs_state, j.situs_zip, j.apn, j.last_sale_date, j.last_sale_price,
  case when land.kept then j.stored_acres else land.acres end as lot_acres,
  case when land.kept then j.stored_location else s.location end as location
from judged j
left join stage_shape s on s.fips = j.fips and s.key = j.key
cross join lateral (select coalesce(j.acres, s.calculated_acres) as acres) as now
cross join lateral (
  select
    now.acres,
    -- An acreage that the roll no longer tells changes nothing of the sale either.
    j.stored_acres is not null and coalesce(abs(now.acres - j.stored_acres) > $6 * j.stored_acres, true) as kept
) as land
where j.qualified or j.known
order by j.fips, j.row_no
