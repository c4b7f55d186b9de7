-- A parcel without a mailing ZIP belongs to the owner of the one ZIP that is found at its street, city and state: who that is is told by all
-- parcels of the nation at the moment of the question, so each row keeps its place beside its owner. Null until the parcel is ingested anew.
alter table owner_parcels add column place_key uuid;

-- An owner's places are read from the index alone.
alter table owner_parcels drop constraint owner_parcels_pkey;
alter table owner_parcels add constraint owner_parcels_pkey primary key (owner_key, property_id) include (place_key);

-- Which ZIPs are found at a place; the key of a parcel without one is its place.
create index owner_parcels_place on owner_parcels (place_key, owner_key) where owner_key <> place_key;
