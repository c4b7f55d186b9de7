-- expanding: parcels of one owner that are next to each other

-- A row for each parcel that belongs to an assemblage: lots of one owner that come within 30 m of each other,
-- in any county. Parcels of owners with too many parcels in the county have a row without figures. Other
-- parcels have no row. Recomputed as a whole when a county's parcels change.
create table assemblages (
  fips int not null,
  property_id bigint not null,
  -- The smallest property_id of the assemblage.
  assemblage_id bigint,
  -- The counties of its parcels.
  counties int[],
  -- Lots that share one boundary count once.
  parcels int,
  acres double precision,
  -- The lots that the parcel reaches in steps of up to 1 m, including itself.
  touching_parcels int,
  touching_acres double precision,
  primary key (fips, property_id)
);
create index assemblages_id on assemblages (fips, assemblage_id);

-- Marks for counties whose assemblages must be computed. One county can have several.
create table assemblages_dirty (
  id bigint generated always as identity primary key,
  fips int not null
);
insert into assemblages_dirty (fips) select fips from county_coverage;
