-- expanding: the estimated value of an assemblage as a whole

-- What the valuation model says about a parcel with all acres of an assemblage, at its largest parcel in the
-- county of its id. Rewritten with the county's valuations. `acres`: the acreage that was valued.
create table assemblage_values (
  fips int not null,
  assemblage_id bigint not null,
  acres double precision not null,
  price double precision not null,
  low_price double precision not null,
  high_price double precision not null,
  out_of_support boolean not null,
  primary key (fips, assemblage_id)
);
