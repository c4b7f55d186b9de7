-- Sales and earlier records of other feeds that may be the same sale, in a box that holds all that may: what is one, isSameSale of
-- shared/kernels/valuation/twins.ts decides. Of one day a roll's record is the earlier, then the smaller id.
-- $1 ids of the sales uuid[]
-- Returns: id, price; acres, day (since 1970-01-01), lon and lat (degrees) of both
select
  s.id, s.price::float8 as price, s.lot_acres as acres, s.sold_date - date '1970-01-01' as day,
  s.location[0] / 1e7 as lon, s.location[1] / 1e7 as lat, o.lot_acres as "otherAcres",
  o.sold_date - date '1970-01-01' as "otherDay", o.location[0] / 1e7 as "otherLon", o.location[1] / 1e7 as "otherLat"
from listings s
join feeds own on own.id = s.feed_id
-- Metres by which the two may be apart, in integers of 1e-7 degree of latitude.
cross join lateral (select greatest(200, sqrt(4047 * s.lot_acres)) / 110574 * 1e7 as north) as most
cross join lateral (select most.north / cosd(s.location[1] / 1e7) as east) as wide
join listings o
  on o.location <@ box(
    point(s.location[0] - wide.east, s.location[1] - most.north),
    point(s.location[0] + wide.east, s.location[1] + most.north)
  )
  and o.feed_id <> s.feed_id and o.fips = s.fips and o.price = s.price and o.status = 'SOLD'
  and o.sold_date between s.sold_date - 60 and s.sold_date
join feeds other on other.id = o.feed_id
where s.id = any ($1::uuid[]) and s.lot_acres > 0 and s.location is not null
  and (o.sold_date, other.kind <> 'assessor', o.id) < (s.sold_date, own.kind <> 'assessor', s.id)
