-- What a roll's editions assessed the land of a parcel at: a row where a value is new or other than the one
-- before it, with the day since when it holds. Valuations go by the one that was known before a sale. For it,
-- comp_land has a row for every comp whose parcel is known.
create table assessed_land_values (
  fips int not null,
  property_id bigint not null,
  as_of date not null,
  value bigint not null,
  primary key (fips, property_id, as_of)
);
