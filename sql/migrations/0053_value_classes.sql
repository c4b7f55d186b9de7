-- expanding: the map's classes of value per acre in each county

-- Where the second and later classes of value per acre start, and how many parcels are in each. Written with
-- the county's valuations, every night. Null if no parcel has a value.
alter table valuation_counties add column ppa_breaks double precision[];
alter table valuation_counties add column ppa_counts integer[];
