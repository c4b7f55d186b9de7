-- Takes a block of serials for the new parcels of each county. The row stays locked until the merge commits, so
-- that two feeds of one county never share a number; a merge that fails gives its block back unused.
insert into county_serials as c (fips, last_serial)
select fips, count(*)
from stage_match
where state = 'new'
group by fips
-- One order for all merges, so that two feeds of several counties cannot wait for each other.
order by fips
on conflict (fips) do update set last_serial = c.last_serial + excluded.last_serial
