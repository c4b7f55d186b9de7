-- expanding: overlays, which measure parcels on layers of any data
alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check check (
  kind in (
    'assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'water', 'places', 'zips', 'contacts', 'numbering', 'county_facts', 'dnc',
    'imagery', 'overlay'
  )
);
alter table land_layers drop constraint land_layers_kind_check;
alter table land_layers add constraint land_layers_kind_check check (
  kind in ('elevation', 'roads', 'wetlands', 'flood', 'water', 'places', 'zips', 'imagery', 'overlay')
);

-- The overlays that a feed fills, as it declares them: a list of names, labels, distances, classes, and numbers.
-- Null for other kinds.
alter table land_layers add column overlays jsonb;
-- A feature's class in each overlay (a text), and its numbers. Null for other kinds.
alter table layer_features add column overlays jsonb;

-- Marks have the bit 32 for overlays.
alter table parcel_attributes add column overlay_runs bigint[];
alter table attributes_dirty drop constraint attributes_dirty_layers_check;
alter table attributes_dirty add constraint attributes_dirty_layers_check check (layers between 1 and 63);

-- A parcel's figures in the overlays that cover it. `percents` are the shares of `classes`, largest first.
-- `percent` is the share of all of them together, with overlaps counted once. `nearest_ft` is null if no feature
-- is within the overlay's distance.
create table parcel_overlays (
  fips int not null,
  overlay text not null,
  property_id bigint not null,
  percent real not null,
  classes text[] not null,
  percents real[] not null,
  nearest_ft real,
  nearest_name text,
  numbers jsonb not null,
  primary key (fips, overlay, property_id)
) partition by range (fips);
create index parcel_overlays_parcel on parcel_overlays (fips, property_id);

-- On a cluster it is distributed later, and until then one partition has all counties.
do $$
declare
  part record;
begin
  if (select relkind from pg_class where oid = 'parcel_attributes'::regclass) = 'p' then
    for part in
      select replace(inhrelid::regclass::text, 'parcel_attributes', 'parcel_overlays') as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'parcel_attributes'::regclass
    loop
      execute format('create table %s partition of parcel_overlays %s', part.name, part.bound);
    end loop;
  else
    create table parcel_overlays_all partition of parcel_overlays default;
  end if;
end
$$;
