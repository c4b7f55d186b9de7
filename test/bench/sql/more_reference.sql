-- The figures in `more` for all regions, except the price index. They complement those of
-- market_reference.sql.
create temporary table more_reference as
with bucket (bucket, least, below) as (
  values
    (0, 0::float8, 9500::float8 / 43560), (1, 0, 0.25), (2, 0.15, 1), (3, 0.2, 100), (4, 9500::float8 / 43560, 1),
    (5, 0.25, 1), (6, 1, 2), (7, 1, 3), (8, 2, 5), (9, 2, 100), (10, 3, 5), (11, 5, 10), (12, 5, 100), (13, 5, 10000),
    (14, 10, 20), (15, 20, 40), (16, 40, 60), (17, 40, 100), (18, 40, 10000), (19, 60, 80), (20, 80, 500), (21, 100, 10000)
),
day (d) as (select current_setting('bench.as_of')::date),
placed as (
  select r.region, l.status, l.lot_acres, l.price::float8 as price, l.price::float8 / l.lot_acres as ppa,
    l.price::float8 / nullif(l.asked_price, 0)::float8 as to_asked,
    l.status = 'SOLD' and l.sold_date > (d - interval '12 months')::date as last_year,
    l.status = 'SOLD' and l.sold_date <= (d - interval '12 months')::date
      and l.sold_date > (d - interval '24 months')::date as year_before
  from listings l
  cross join day
  cross join lateral (values (l.fips), (case when l.zip <> '' then 100000 + l.zip::int end)) as r (region)
  where l.lot_acres > 0 and l.price > 0 and r.region is not null
),
figures as (
  select region, bucket,
    count(*) filter (where status = 'ACTIVE') as active,
    count(*) filter (where last_year) as sold,
    count(*) filter (where year_before) as before,
    count(to_asked) filter (where last_year) as asked,
    percentile_cont(0.5) within group (order by to_asked) filter (where last_year and to_asked is not null) as to_asked,
    percentile_cont(0.5) within group (order by ppa) filter (where last_year) as ppa,
    percentile_cont(0.5) within group (order by ppa) filter (where year_before) as ppa_before
  from placed
  join bucket on lot_acres >= least and lot_acres < below
  group by region, bucket
)
select region, bucket,
  case when sold >= 5 then round(12.0 * active / sold, 2) end as months_of_supply,
  case when asked >= 5 then round((100 * to_asked)::numeric, 2) end as sale_to_list,
  case when sold >= 5 and before >= 5 then round((100 * (ppa / ppa_before - 1))::numeric, 2) end as median_ppa_change_12mo,
  before as sales_prior_12mo
from figures;
