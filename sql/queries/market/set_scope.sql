-- Names the regions that copy_listings_of_regions reads, for COPY takes no parameters. Until the end of the transaction.
-- $1 counties' FIPS, $2 ZIPs, each separated by commas.
select set_config('plat.market_counties', $1, true), set_config('plat.market_zips', $2, true);
