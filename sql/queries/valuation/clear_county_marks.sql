-- Takes back the marks of a county that is valued as a whole in this transaction; that of its land is more: what was
-- stored of its comps is to be renewed, and its neighbours look at them.
-- $1 county FIPS int
delete from valuations_dirty where fips = $1 and land_of is null
