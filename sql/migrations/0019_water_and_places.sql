-- Water and names of places, which are drawn on the map, and what roads and water are called.
alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check check (
  kind in (
    'assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'water', 'places', 'zips', 'contacts', 'numbering', 'dnc', 'imagery'
  )
);
alter table land_layers drop constraint land_layers_kind_check;
alter table land_layers add constraint land_layers_kind_check check (
  kind in ('elevation', 'roads', 'wetlands', 'flood', 'water', 'places', 'zips', 'imagery')
);

-- As the source has it. `words`: of places, as searches have it.
alter table layer_features add column name text, add column words text collate "C";

create index layer_features_words on layer_features (words) where words is not null;
