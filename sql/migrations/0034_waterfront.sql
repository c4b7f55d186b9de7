-- expanding: the shore of each parcel
-- Measured from water layers, for which marks have the bit 16. `waterfront` is also true if the roll's land use
-- says so. All are null until parcels are measured again.
alter table parcel_attributes
  add column water_runs bigint[],
  add column waterfront_ft real,
  add column water_name text;
alter table parcel_filters add column waterfront boolean, add column waterfront_ft real;
alter table attributes_dirty drop constraint attributes_dirty_layers_check;
alter table attributes_dirty add constraint attributes_dirty_layers_check check (layers between 1 and 31);
