-- Names the county that copy_unplanned_parcels reads, for COPY takes no parameters. Until the end of the transaction.
-- $1 fips text
select set_config('plat.attributes_fips', $1, true)
