-- Adds the parcels that the feed shows for the first time, in the order of the roll. Serials were reserved.
-- $1 run id bigint, $2 feed id int
insert into parcels (
  fips, property_id, feed_id, source_key, apn_normalized, roll_hash, shape_hash, created_run, changed_run,
  location, extent, boundary, calculated_acres,
  apn, acres, owner_name, owner_name_2, mail_address, mail_city, mail_state, mail_zip, situs_address,
  situs_city, situs_state, situs_zip, subdivision, zoning_code, land_use_code, school_district,
  structure_count, building_sqft, year_built, assessed_total_value, assessed_land_value,
  assessed_improvement_value, market_total_value, market_land_value, market_improvement_value,
  tax_delinquent, tax_delinquent_year, last_sale_date, last_sale_price, sale_price_code, seller_name,
  document_type_code, inter_family_transfer, mortgage_amount, mortgage_date, mortgage_financing_type_code,
  mortgage_loan_type_code, mortgage_interest_rate, owner_occupied, vacant
)
select
  m.fips,
  m.fips::bigint * 100000000 + c.last_serial - count(*) over (partition by m.fips)
    + row_number() over (partition by m.fips order by m.in_roll desc, m.row_no),
  $2, m.key, upper(translate(r.apn, ' .-', '')), r.hash, s.hash, $1, $1,
  s.location, s.extent, s.boundary, s.calculated_acres,
  r.apn, r.acres, r.owner_name, r.owner_name_2, r.mail_address, r.mail_city, r.mail_state, r.mail_zip,
  r.situs_address, r.situs_city, r.situs_state, r.situs_zip, r.subdivision, r.zoning_code, r.land_use_code,
  r.school_district, r.structure_count, r.building_sqft, r.year_built, r.assessed_total_value,
  r.assessed_land_value, r.assessed_improvement_value, r.market_total_value, r.market_land_value,
  r.market_improvement_value, r.tax_delinquent, r.tax_delinquent_year, r.last_sale_date, r.last_sale_price,
  r.sale_price_code, r.seller_name, r.document_type_code, r.inter_family_transfer, r.mortgage_amount,
  r.mortgage_date, r.mortgage_financing_type_code, r.mortgage_loan_type_code, r.mortgage_interest_rate,
  r.owner_occupied, r.vacant
from stage_match m
join county_serials c on c.fips = m.fips
left join stage_roll r on r.fips = m.fips and r.key = m.key
left join stage_shape s on s.fips = m.fips and s.key = m.key
where m.state = 'new'
