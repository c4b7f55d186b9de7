-- As copy_listings, of the counties and ZIPs that set_scope named.
copy (
  select
    l.fips,
    l.zip,
    (case l.status when 'ACTIVE' then 0 when 'PENDING' then 1 else 2 end)::"char" as status,
    (l.price * 100)::int8 as cents,
    l.lot_acres,
    l.sold_date,
    coalesce(l.days_on_market, case when l.listed_date <= latest.day then latest.day - l.listed_date end) as days_on_market,
    f.as_of as feed_day
  from listings l
  join feeds f on f.id = l.feed_id
  cross join lateral (select coalesce(l.status_date, l.sold_date) as day) as latest
  where l.status <> 'OFF_MARKET'
    and l.lot_acres > 0
    and l.price > 0
    and (
      l.fips = any (string_to_array(current_setting('plat.market_counties'), ',')::int[])
      or l.zip = any (string_to_array(current_setting('plat.market_zips'), ','))
    )
) to stdout (format binary);
