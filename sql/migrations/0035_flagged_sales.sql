-- expanding: which sales a county's valuation doesn't use, and operators' decisions about them
-- Replaced by each valuation of the county. A sale that never became a listing, because it doesn't meet the
-- conditions of its feed, has a property_id instead of a listing_id.
create table flagged_sales (
  fips int not null,
  -- Of shared/model/sale-flags.ts.
  flag text not null,
  listing_id uuid,
  property_id bigint,
  source text not null,
  source_id text not null,
  apn text not null,
  sold_date date,
  price numeric(14, 2) not null,
  acres double precision,
  -- The roll's code of the price or the deed.
  code text,
  primary key (fips, source, source_id)
);

-- What an operator decided about a sale. The audit table has every change.
create table sale_overrides (
  -- The listing's.
  id uuid primary key,
  fips int not null,
  -- Whether valuations use the sale, whatever Plat would decide.
  used boolean not null,
  decided_by text not null,
  decided_at timestamptz not null default now()
);
create index sale_overrides_county on sale_overrides (fips);

create trigger record_change after insert or update or delete on sale_overrides
  for each row execute function record_change();

-- Number of the county's own sales that its last valuation used.
alter table valuation_counties add column used_sales int;

-- It locks out writers of listings, but no readers.
create index listings_set_aside on listings (fips) where status = 'OFF_MARKET' and sold_date is not null;
