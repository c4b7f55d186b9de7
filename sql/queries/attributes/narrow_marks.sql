-- Leaves of the marks of parcels of a county the kinds that could not be computed; the caller holds them.
-- $1 fips int, $2 property ids bigint[], $3 layers smallint
update attributes_dirty
set layers = $3
where fips = $1 and property_id = any ($2)
