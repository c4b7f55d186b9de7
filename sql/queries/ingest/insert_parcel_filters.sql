-- Writes what filters and portfolios read of the parcels that are new, changed or back, from the rows that the merge
-- has just written and from what was derived while staging.
-- $1 feed id int
with written as (
  insert into parcel_filters (
    fips, property_id, location, extent, effective_acres, situs_zip, owner_key, building_sqft, improvement_percent,
    mortgage_interest_rate, assessed_total_value, assessed_land_value, assessed_improvement_value, market_total_value,
    market_land_value, market_improvement_value, last_sale_price, mortgage_amount, last_sale_date, mortgage_date,
    structure_count, year_built, tax_delinquent_year, tax_delinquent, owner_occupied, out_of_state_owner,
    out_of_county_owner, out_of_zip_owner, corporate_owner, hoa_owner, inter_family_transfer, vacant, landlocked,
    wetlands_percent, flood_zone_percent, highway_frontage_ft, road_frontage_ft, local_frontage_ft, steeper_percent
  )
  select
    p.fips, p.property_id, p.location, p.extent,
    -- Rounded as it is shown: a parcel of 0.994 acres says 0.99, and is found by that.
    coalesce(p.acres, floor(p.calculated_acres * 100 + 0.5) / 100), p.situs_zip::int, r.owner_key, p.building_sqft,
    case
      when p.assessed_total_value > 0 then 100.0 * p.assessed_improvement_value / p.assessed_total_value
      when p.market_total_value > 0 then 100.0 * p.market_improvement_value / p.market_total_value
    end,
    p.mortgage_interest_rate, p.assessed_total_value, p.assessed_land_value, p.assessed_improvement_value,
    p.market_total_value, p.market_land_value, p.market_improvement_value, p.last_sale_price, p.mortgage_amount,
    p.last_sale_date, p.mortgage_date, p.structure_count, p.year_built, p.tax_delinquent_year, p.tax_delinquent,
    r.lives_there, r.out_of_state_owner, r.out_of_county_owner, r.out_of_zip_owner, r.corporate_owner, r.hoa_owner,
    p.inter_family_transfer, p.vacant, a.landlocked, a.wetlands_percent, a.flood_zone_percent, a.highway_frontage_ft,
    a.road_frontage_ft, a.local_frontage_ft, a.steeper_percent
  from stage_match m
  join parcels p on p.fips = m.fips and p.source_key = m.key and p.feed_id = $1
  left join stage_roll r on r.fips = m.fips and r.key = m.key
  -- What the land layers tell of a shape holds as long as the shape does.
  left join parcel_attributes a
    on m.state <> 'new' and a.fips = p.fips and a.property_id = p.property_id and a.shape_hash = p.shape_hash
  where m.state <> 'unchanged'
  returning owner_key, property_id
)
insert into owner_parcels (owner_key, property_id)
select owner_key, property_id
from written
where owner_key is not null
