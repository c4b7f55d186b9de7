-- Takes away what filters and portfolios know of the parcels that changed; insert_parcel_filters.sql writes it anew.
with outdated as (
  delete from parcel_filters f
  using stage_match m
  where m.state = 'changed' and f.fips = m.fips and f.property_id = m.property_id
  returning f.owner_key, f.property_id
)
delete from owner_parcels o
using outdated u
where o.owner_key = u.owner_key and o.property_id = u.property_id
