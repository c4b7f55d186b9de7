-- expanding: an index of parcels by the number of their last change
-- In a migration of its own: it locks out writers, but no readers, as adding the column would.
create index parcel_filters_version on parcel_filters (fips, row_version);
