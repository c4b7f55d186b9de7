-- Areas of ZIP codes: a layer that is drawn on the map and nothing is computed from.

alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check
  check (
    kind in (
      'assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'zips', 'contacts', 'numbering', 'dnc', 'imagery'
    )
  );

alter table land_layers drop constraint land_layers_kind_check;
alter table land_layers add constraint land_layers_kind_check
  check (kind in ('elevation', 'roads', 'wetlands', 'flood', 'zips', 'imagery'));
