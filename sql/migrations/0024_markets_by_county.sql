-- The market of a county is fitted when the county is valued: no model is kept, but what each county's sales say by themselves, for the
-- others to borrow from.
drop table valuation_model;
drop table valuation_outliers;

alter table valuation_counties
  alter column extent drop not null,
  alter column reach drop not null,
  -- CountyEstimates of shared/kernels/valuation/model.ts.
  add column estimates jsonb,
  add column model_version text;

alter table valuations_dirty drop column fitted;
