-- Whether valuations of a county wait for what a chunk computed of its land, and no other chunk of it is under way: the last
-- one has them brought up to date.
-- $1 county FIPS int, $2 the chunk bigint
select
  exists (select from valuations_dirty where fips = $1 and land_of is not null)
  and not exists (select from attributes_dirty where fips = $1 and chunk <> $2) as due
