-- A parcel's location lies in its extent, so that the extent's index finds both, and filling costs one less.
drop index parcel_filters_location;
