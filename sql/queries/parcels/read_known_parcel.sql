-- All that an operator is told of a parcel, on the roll or retired, with what its land layers' figures are read from.
-- $1 property id bigint
-- Returns: x, y and west, south, east, north in 1e-7 degrees, null without geometry
select
  p.property_id, p.fips, c.county_name as county, c.state, p.apn, p.owner_name, p.owner_name_2, p.mail_address,
  p.mail_city, p.mail_state, p.mail_zip, p.situs_address, p.situs_city, p.situs_state, p.situs_zip, p.acres,
  p.calculated_acres, p.land_use_code, p.zoning_code, p.assessed_total_value, p.market_total_value, p.last_sale_date,
  p.last_sale_price, d.name as feed, p.created_run, p.changed_run, p.retired_run, p.retired_at, p.boundary,
  p.shape_hash, p.location[0] as x, p.location[1] as y, (p.extent[1])[0] as west, (p.extent[1])[1] as south,
  (p.extent[0])[0] as east, (p.extent[0])[1] as north
from parcels p
join feeds d on d.id = p.feed_id
left join regions c on c.type = 'county' and c.code = lpad(p.fips::text, 5, '0')
where p.fips = ($1::bigint / 100000000)::int and p.property_id = $1::bigint
