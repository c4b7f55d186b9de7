-- expanding: facts about counties, such as population and income
alter table feeds drop constraint feeds_kind_check;
alter table feeds add constraint feeds_kind_check check (
  kind in (
    'assessor', 'listings', 'elevation', 'roads', 'wetlands', 'flood', 'water', 'places', 'zips', 'contacts', 'numbering', 'county_facts', 'dnc',
    'imagery'
  )
);

-- Each feed has a row per county. Money is in dollars.
create table county_facts (
  fips integer not null,
  feed_id integer not null references feeds (id),
  population integer,
  population_year smallint,
  earlier_population integer,
  earlier_year smallint,
  household_income integer,
  income_year smallint,
  housing_permits integer,
  permits_year smallint,
  row_hash uuid not null,
  primary key (fips, feed_id)
);
