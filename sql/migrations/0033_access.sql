-- expanding: how each parcel is reached
-- public_road, private_road, unmapped, or none. Null for parcels that were measured before, until they are
-- measured again. parcel_attributes has what was measured, parcel_filters what is shown: a house that no road
-- reaches is unmapped. `landlocked` is true only where access is none.
alter table parcel_attributes add column access text;
alter table parcel_filters add column access text;
