-- Drops the marks of a county's parcels that have left the roll.
-- $1 fips int
delete from attributes_dirty d
where d.fips = $1
  and not exists (select from parcel_filters f where f.fips = d.fips and f.property_id = d.property_id)
