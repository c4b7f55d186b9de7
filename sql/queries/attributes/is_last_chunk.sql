-- Whether no other chunk of a county is under way, and whether valuations of the county wait for what chunks computed of its land: the
-- last one has them brought up to date. The least of the others' parcels stands for whether there are any: it is found by the
-- index, where the table would be read past all the marks that were taken back (7 ms a chunk of a large county).
-- $1 county FIPS int, $2 the chunk bigint
select
  (select min(property_id) from attributes_dirty where fips = $1 and chunk <> $2) is null as last,
  exists (select from valuations_dirty where fips = $1 and land_of is not null) as awaited
