-- Takes away valuations that are about to be written anew.
-- $1 county FIPS int, $2 property ids bigint[], or null for all of the county
delete from valuations where fips = $1 and ($2::bigint[] is null or property_id = any ($2::bigint[]))
