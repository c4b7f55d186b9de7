-- The land of comps: which parcel of the roll each is a sale of, and what the land layers tell of it, side by side with
-- the comps, so that valuations need not look for 100,000 parcels. A comp of whose land nothing is known has no row. Rebuilt
-- whenever the market is fitted.
create table comp_land (
  listing_id uuid primary key,
  fips int not null,
  property_id bigint not null,
  -- Percent of the area steeper than 15 %.
  steep_percent real,
  -- Along all counting roads together.
  frontage_ft real,
  flood_percent real,
  wetlands_percent real
);

create index comp_land_parcel on comp_land (fips, property_id);

-- Whose land has changed: a parcel of the county, or 0 for all of it. Null: not the land, but the comps or the roll.
alter table valuations_dirty add column land_of bigint;
alter table valuations_dirty add constraint valuations_dirty_land_of check (land_of is null or fips > 0);
