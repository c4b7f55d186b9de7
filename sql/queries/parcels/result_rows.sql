-- name: list_result_rows
-- The columns of a result list that aren't in summaries.
select
  p.property_id, p.mail_city, p.mail_state, f.last_sale_date::text, f.last_sale_price, f.tax_delinquent,
  f.out_of_state_owner, f.corporate_owner, f.vacant, f.landlocked, f.waterfront,
  v.mean_adjusted_price as value, v.mean_adjusted_ppa as value_per_acre
from parcels p
left join parcel_filters f
  on f.fips = p.fips and f.property_id = p.property_id and f.fips = any (:counties::int[])
    and f.property_id = any (:property_ids::bigint[])
left join valuations v
  on v.fips = p.fips and v.property_id = p.property_id and v.fips = any (:counties::int[])
    and v.property_id = any (:property_ids::bigint[])
where p.fips = any (:counties::int[]) and p.property_id = any (:property_ids::bigint[]);

-- name: read_hits_box
-- The bounding box of the locations of the parcels that a filter finds, in 1e-7 degrees. `from`, `where`: as
-- in count_hits.
select min(l.location[0]) as west, min(l.location[1]) as south, max(l.location[0]) as east, max(l.location[1]) as north
from {{from}}
join parcel_filters l on l.fips = f.fips and l.property_id = f.property_id
where {{where}};
