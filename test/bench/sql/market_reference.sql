-- All statistics of all regions in one statement: the 22 buckets and 43 keys for each county and ZIP, as of
-- the day in the setting bench.as_of. The textbook form of Gini's coefficient loses digits by cancellation,
-- which changed 1 of 30 million figures (a tie), so it is rounded to 11 decimals before it is rounded to 2.
-- `region` is the county's FIPS, or 100000 + the ZIP. `bucket` counts from 0 in the API's order.
create temp table market_reference as
with bucket (bucket, least, below) as (
  values
    (0, 0::float8, 9500::float8 / 43560), (1, 0, 0.25), (2, 0.15, 1), (3, 0.2, 100), (4, 9500::float8 / 43560, 1),
    (5, 0.25, 1), (6, 1, 2), (7, 1, 3), (8, 2, 5), (9, 2, 100), (10, 3, 5), (11, 5, 10), (12, 5, 100), (13, 5, 10000),
    (14, 10, 20), (15, 20, 40), (16, 40, 60), (17, 40, 100), (18, 40, 10000), (19, 60, 80), (20, 80, 500), (21, 100, 10000)
),
day (d) as (
  select current_setting('bench.as_of')::date
),
listing as materialized (
  select
    fips,
    case when zip <> '' then 100000 + zip::int end as zip,
    status,
    lot_acres as acres,
    price::float8 as price,
    price::float8 / lot_acres as ppa,
    coalesce(days_on_market, coalesce(status_date, sold_date) - listed_date) as dom,
    -- The shortest window that contains the sale: 1 to 4 mean 1, 3, 6, and 12 months.
    case
      when status <> 'SOLD' or sold_date > d or sold_date <= (d - interval '12 months')::date then null
      when sold_date > (d - interval '1 month')::date then 1
      when sold_date > (d - interval '3 months')::date then 2
      when sold_date > (d - interval '6 months')::date then 3
      else 4
    end as age
  from listings, day
  where status <> 'OFF_MARKET' and lot_acres > 0 and price > 0
),
placed as (
  select fips as region, status, acres, price, ppa, dom, age from listing where fips is not null
  union all
  select zip, status, acres, price, ppa, dom, age from listing where zip is not null
),
ranked as (
  select
    region, bucket, status, acres, price, ppa, dom, age,
    count(*) filter (where age <= 1) over ascending as i1,
    count(*) filter (where age <= 2) over ascending as i3,
    count(*) filter (where age <= 3) over ascending as i6,
    count(*) filter (where age <= 4) over ascending as i12
  from placed
  join bucket on acres >= least and acres < below
  window ascending as (partition by region, bucket order by ppa rows unbounded preceding)
),
grouped as (
  select
    region, bucket,
    count(*) filter (where status = 'ACTIVE') as active,
    count(*) filter (where status = 'PENDING') as pending,
    count(*) filter (where age <= 1) as n1,
    count(*) filter (where age <= 2) as n3,
    count(*) filter (where age <= 3) as n6,
    count(*) filter (where age <= 4) as n12,
    avg(dom) filter (where age <= 1) as dom1,
    avg(dom) filter (where age <= 2) as dom3,
    avg(dom) filter (where age <= 3) as dom6,
    avg(dom) filter (where age <= 4) as dom12,
    percentile_cont(0.5) within group (order by price) filter (where age <= 1) as price1,
    percentile_cont(0.5) within group (order by price) filter (where age <= 2) as price3,
    percentile_cont(0.5) within group (order by price) filter (where age <= 3) as price6,
    percentile_cont(0.5) within group (order by price) filter (where age <= 4) as price12,
    percentile_cont(0.5) within group (order by price) filter (where status = 'PENDING') as pending_price,
    percentile_cont(0.5) within group (order by price) filter (where status = 'ACTIVE') as active_price,
    percentile_cont(0.5) within group (order by acres) filter (where status = 'ACTIVE') as active_acres,
    percentile_cont(0.5) within group (order by acres) filter (where status = 'PENDING') as pending_acres,
    percentile_cont(0.5) within group (order by acres) filter (where age <= 4) as sold_acres,
    percentile_cont(0.5) within group (order by ppa) filter (where status = 'PENDING') as pending_ppa,
    percentile_cont(0.5) within group (order by ppa) filter (where status = 'ACTIVE') as active_ppa,
    percentile_cont(0.5) within group (order by ppa) filter (where age <= 4) as sold_ppa,
    min(ppa) filter (where status = 'ACTIVE') as active_min,
    max(ppa) filter (where status = 'ACTIVE') as active_max,
    min(ppa) filter (where status = 'PENDING') as pending_min,
    max(ppa) filter (where status = 'PENDING') as pending_max,
    min(ppa) filter (where age <= 1) as min1,
    max(ppa) filter (where age <= 1) as max1,
    min(ppa) filter (where age <= 2) as min3,
    max(ppa) filter (where age <= 2) as max3,
    min(ppa) filter (where age <= 3) as min6,
    max(ppa) filter (where age <= 3) as max6,
    min(ppa) filter (where age <= 4) as min12,
    max(ppa) filter (where age <= 4) as max12,
    sum(ppa) filter (where age <= 1) as sum1,
    sum(ppa) filter (where age <= 2) as sum3,
    sum(ppa) filter (where age <= 3) as sum6,
    sum(ppa) filter (where age <= 4) as sum12,
    sum(i1 * ppa) filter (where age <= 1) as ranked1,
    sum(i3 * ppa) filter (where age <= 2) as ranked3,
    sum(i6 * ppa) filter (where age <= 3) as ranked6,
    sum(i12 * ppa) filter (where age <= 4) as ranked12
  from ranked
  group by region, bucket
)
select
  region, bucket,
  active as "Active",
  pending as "Pending",
  n1 as "Sold: 1mo",
  n3 as "Sold: 3mo",
  n6 as "Sold: 6mo",
  n12 as "Sold: 1yr",
  round(100.0 * pending / nullif(active, 0), 2) as "Pending STR",
  round(100.0 * n1 / nullif(active, 0), 2) as "1mo STR",
  round(100.0 * n3 / nullif(active, 0), 2) as "3mo STR",
  round(100.0 * n6 / nullif(active, 0), 2) as "6mo STR",
  round(100.0 * n12 / nullif(active, 0), 2) as "1yr STR",
  round(dom1, 2) as "Avg DOM 1mo",
  round(dom3, 2) as "Avg DOM 3mo",
  round(dom6, 2) as "Avg DOM 6mo",
  round(dom12, 2) as "Avg DOM 1yr",
  round(price1::numeric, 2) as "Median Price 1mo",
  round(price3::numeric, 2) as "Median Price 3mo",
  round(price6::numeric, 2) as "Median Price 6mo",
  round(price12::numeric, 2) as "Median Price 1yr",
  round(pending_price::numeric, 2) as "Median Pending Price",
  round(active_price::numeric, 2) as "Median Active Price",
  round(active_acres::numeric, 2) as "Median Active Acreage",
  round(pending_acres::numeric, 2) as "Median Pending Acreage",
  round(sold_acres::numeric, 2) as "Median Sold Acreage",
  round(pending_ppa::numeric, 2) as "Median Pending PPA",
  round(active_ppa::numeric, 2) as "Median Active PPA",
  round(sold_ppa::numeric, 2) as "Median Sold PPA",
  round(active_min::numeric, 2) as "Active PPA Min",
  round(active_max::numeric, 2) as "Active PPA Max",
  round(pending_min::numeric, 2) as "Pending PPA Min",
  round(pending_max::numeric, 2) as "Pending PPA Max",
  round(min1::numeric, 2) as "PPA Range 1mo Min",
  round(max1::numeric, 2) as "PPA Range 1mo Max",
  round(min3::numeric, 2) as "PPA Range 3mo Min",
  round(max3::numeric, 2) as "PPA Range 3mo Max",
  round(min6::numeric, 2) as "PPA Range 6mo Min",
  round(max6::numeric, 2) as "PPA Range 6mo Max",
  round(min12::numeric, 2) as "PPA Range 1yr Min",
  round(max12::numeric, 2) as "PPA Range 1yr Max",
  case when n1 > 1 then round(round((100 * (2 * ranked1 - (n1 + 1) * sum1) / (n1 * sum1))::numeric, 11), 2) end as "Gini 1mo",
  case when n3 > 1 then round(round((100 * (2 * ranked3 - (n3 + 1) * sum3) / (n3 * sum3))::numeric, 11), 2) end as "Gini 3mo",
  case when n6 > 1 then round(round((100 * (2 * ranked6 - (n6 + 1) * sum6) / (n6 * sum6))::numeric, 11), 2) end as "Gini 6mo",
  case when n12 > 1 then round(round((100 * (2 * ranked12 - (n12 + 1) * sum12) / (n12 * sum12))::numeric, 11), 2) end as "Gini 1yr"
from grouped;
