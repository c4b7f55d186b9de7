-- expanding: buildable land of each parcel
-- Measured from elevation, wetlands, flood zones, and water together. All are null until parcels are measured
-- again. `unbuildable` has an object for each measured reason, with the keys reason and acres.
alter table parcel_attributes
  add column buildable_acres double precision,
  add column buildable_percent double precision,
  add column buildable_patch_acres double precision,
  add column unbuildable jsonb;
alter table parcel_filters
  add column buildable_acres double precision,
  add column buildable_percent double precision,
  add column buildable_patch_acres double precision;
