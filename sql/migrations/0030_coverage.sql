-- What is known of each county's parcels, counted when its roll is merged: counting them for a page would read the nation.

create table county_coverage (
  fips integer primary key,
  parcels integer not null,
  with_boundary integer not null,
  with_owner integer not null,
  with_acres integer not null,
  with_values integer not null,
  with_sale integer not null,
  -- Whose rolls they are of.
  feed_ids integer[] not null,
  -- Around the parcels' points, in degrees; null where none has one.
  west double precision,
  south double precision,
  east double precision,
  north double precision
);

insert into county_coverage
select f.fips, count(*), count(f.extent), count(p.owner_name), count(f.effective_acres),
  count(coalesce(f.assessed_total_value, f.market_total_value)), count(f.last_sale_date), array_agg(distinct p.feed_id),
  min(f.location[0]) / 1e7, min(f.location[1]) / 1e7, max(f.location[0]) / 1e7, max(f.location[1]) / 1e7
from parcel_filters f
join parcels p on p.fips = f.fips and p.property_id = f.property_id
group by f.fips;
