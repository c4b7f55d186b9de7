-- Takes back the marks of parcels of a county; the caller holds them.
-- $1 fips int, $2 property ids bigint[]
delete from attributes_dirty
where fips = $1 and property_id = any ($2)
