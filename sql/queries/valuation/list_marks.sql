-- What merges, and the chunks that compute what the land layers tell, have marked.
select id, fips, location[0] as lon, location[1] as lat, acres, land_of from valuations_dirty order by id
