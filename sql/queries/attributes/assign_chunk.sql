-- Puts parcels of a county into a chunk, but for those that another plan has put into one meanwhile.
-- $1 fips int, $2 property ids bigint[], $3 chunk bigint
update attributes_dirty
set chunk = $3
where fips = $1 and property_id = any ($2) and chunk is null
