-- A fragment of `list_sales`: the last and earlier sales in the rows of a roll.
select
  t.fips, t.key, t.row_no, t.situs_address, t.situs_city, t.situs_state, t.situs_zip, t.apn, coalesce(t.acres, round(s.calculated_acres::numeric, 5)::float8) as acres, s.location,
  t.last_sale_date, t.last_sale_price, t.seller, t.book, t.several, t.sale
from (
  select
    fips, key, row_no, situs_address, situs_city, situs_state, situs_zip, apn, acres, last_sale_date, last_sale_price,
    upper(coalesce(seller_name, '')) as seller, book, several, sale
  from stage_roll
  where last_sale_date is not null
  union all
  -- A row's earlier sales: the most expensive one of each day, except on the day of the last sale.
  (
    select distinct on (r.fips, r.key, p.date)
      r.fips, r.key, r.row_no, r.situs_address, r.situs_city, r.situs_state, r.situs_zip, r.apn, r.acres, p.date, p.price, '', p.book, p.several, true
    from stage_roll r
    cross join lateral jsonb_to_recordset(r.prior) as p (date date, price bigint, book text, several boolean)
    where p.date is distinct from r.last_sale_date
    order by r.fips, r.key, p.date, p.price desc
  )
) as t
left join stage_shape s on s.fips = t.fips and s.key = t.key
