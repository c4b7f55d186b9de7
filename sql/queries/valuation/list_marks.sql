-- What merges have marked.
select id, fips, location[0] as lon, location[1] as lat, acres from valuations_dirty order by id
