-- What a person would run after ogr2ogr to get the tables that an ingestion writes: parcels and
-- parcel_filters rows with their indexes. Needs PostGIS, pg_trgm and ogr2ogr's table plat_bench_roll.
create table plat_bench_parcels as
select
  cofips::int as fips, cofips::bigint * 100000000 + row_number() over (order by ogc_fid) as property_id, pin as source_key,
  upper(translate(parcelno, ' .-', '')) as apn_normalized, md5(r::text)::uuid as roll_hash,
  st_makevalid(wkb_geometry) as boundary, st_pointonsurface(wkb_geometry) as location,
  box2d(wkb_geometry)::geometry as extent, st_area(wkb_geometry::geography) / 4046.8564224 as calculated_acres,
  upper(owner1) as owner_name, upper(owner2) as owner_name_2, upper(mailaddr) as mail_address, mailcity, mailst, mailzip,
  siteaddr, sitecity, sitest, sitezip, zone, luse, school, bldgs, avtot, avland, avimp, mvtot, mvland, mvimp, delinq,
  saledt::date as sale_date, saleamt, salecd, seller, deed, family, homestd, vacant, acres
from plat_bench_roll r;

alter table plat_bench_parcels add primary key (fips, property_id);
create unique index on plat_bench_parcels (fips, source_key);
create index on plat_bench_parcels (fips, apn_normalized);
create index on plat_bench_parcels using gist (boundary);
create index on plat_bench_parcels using gin (owner_name gin_trgm_ops);

create table plat_bench_filters as
select
  fips, property_id, location, extent, coalesce(nullif(acres, 0), round(calculated_acres::numeric, 2)) as effective_acres,
  sitezip::int as situs_zip,
  case when avtot > 0 then 100.0 * avimp / avtot when mvtot > 0 then 100.0 * mvimp / mvtot end as improvement_percent,
  md5(coalesce(mail_address, '') || coalesce(mailzip, ''))::uuid as owner_key,
  mailst <> sitest as out_of_state_owner, mailzip <> sitezip as out_of_zip_owner,
  owner_name ~ '\m(LLC|INC|CORP|LP|TRUST|BANK|CO)\M' as corporate_owner,
  owner_name ~ '\m(HOA|ASSOCIATION|ASSN)\M' as hoa_owner, mail_address = upper(siteaddr) as owner_occupied,
  zone, luse, school, avtot, mvtot, sale_date, saleamt, vacant, bldgs
from plat_bench_parcels;

alter table plat_bench_filters add primary key (fips, property_id);
create index on plat_bench_filters (fips, effective_acres, property_id);
create index on plat_bench_filters (situs_zip);
create index on plat_bench_filters using gist (location);
create index on plat_bench_filters using gist (extent);
create index on plat_bench_filters (owner_key);

analyze plat_bench_parcels;
analyze plat_bench_filters;
