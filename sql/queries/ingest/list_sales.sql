-- The roll's own last sales as comps. A price shared by several parcels on one date from one seller is one deed
-- over several parcels, whose price belongs to none of them alone. A sale that an earlier roll had qualified and
-- this one does not is taken off the market.
-- $1 label of the source text, $2 least price bigint
-- Returns: the comp's columns, status (SOLD, OFF_MARKET), multi_parcel (left out for that), known (is a comp now)
with sales as (
  select
    r.*,
    count(*) over (partition by r.fips, r.last_sale_date, r.last_sale_price, upper(coalesce(r.seller_name, ''))) as parcels_of_deed,
    format('%s/%s/%s', lpad(r.fips::text, 5, '0'), r.key, r.last_sale_date) as source_id
  from stage_roll r
  where r.last_sale_date is not null
),
judged as (
  select
    *,
    sale and coalesce(last_sale_price, 0) >= $2 as qualified,
    parcels_of_deed > 1 as multi_parcel,
    exists (select from listings l where l.source = $1 and l.source_id = sales.source_id and l.status = 'SOLD') as known
  from sales
)
select
  j.fips, j.source_id, j.row_no,
  case when j.qualified and not j.multi_parcel then 'SOLD' else 'OFF_MARKET' end as status,
  j.qualified and j.multi_parcel as multi_parcel,
  j.known,
  j.situs_address, j.situs_city, j.situs_state, j.situs_zip, j.apn, j.last_sale_date, j.last_sale_price,
  coalesce(j.acres, s.calculated_acres) as lot_acres,
  s.location
from judged j
left join stage_shape s on s.fips = j.fips and s.key = j.key
where j.qualified or j.known
order by j.fips, j.row_no
