-- Retires the parcels that left the roll. They keep their row and their id, and return to it when the key does; filters
-- and portfolios no longer know them. Gives the counties that they left.
-- $1 run id bigint, $2 feed id int
with gone as (
  update parcels p
  set retired_run = $1, retired_at = now(), changed_run = $1
  where p.feed_id = $2
    and p.retired_at is null
    and not exists (select from stage_match m where m.fips = p.fips and m.key = p.source_key)
  returning p.fips, p.property_id
),
unfiltered as (
  delete from parcel_filters f
  using gone g
  where f.fips = g.fips and f.property_id = g.property_id
  returning f.owner_key, f.property_id
),
ownerless as (
  delete from owner_parcels o
  using unfiltered u
  where o.owner_key = u.owner_key and o.property_id = u.property_id
)
select distinct fips
from gone
