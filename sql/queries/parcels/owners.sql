-- name: list_counties
-- The counties in which an owner has parcels.
select distinct (property_id / 100000000)::int as fips
from owner_parcels
where owner_key = any (:owner_keys::uuid[])

-- name: list_portfolio
-- The parcels of an owner, in no particular order. `limit`: maximum number of parcels.
select property_id
from owner_parcels
where owner_key = any (:owner_keys::uuid[])
limit :limit::bigint

-- name: list_places
-- The places of an owner's parcels.
select distinct place_key
from owner_parcels
where owner_key = :owner_key::uuid and place_key is not null

-- name: list_open_places
-- Which of these places have parcels without a ZIP. Usually none of them do.
select distinct owner_key as place_key
from owner_parcels
where owner_key = any (:place_keys::uuid[])

-- name: list_place_owners
-- The first and the last owner with a ZIP at a place. Returns one row if the place has one ZIP, and two if it
-- has several.
(select owner_key from owner_parcels where place_key = :place_key::uuid and owner_key <> place_key order by owner_key limit 1)
union
(select owner_key from owner_parcels where place_key = :place_key::uuid and owner_key <> place_key order by owner_key desc limit 1)
