-- Whether no other chunk of a county is under way. The least of the others' parcels stands for whether there are any, as in
-- valuation/is_land_due.sql.
-- $1 county FIPS int, $2 the chunk bigint
select (select min(property_id) from attributes_dirty where fips = $1 and chunk <> $2) is null as last
