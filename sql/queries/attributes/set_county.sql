-- Names the county whose parcels are copied, for COPY takes no parameters. Until the end of the transaction.
-- $1 fips text
select set_config('plat.attributes_fips', $1, true)
