-- expanding: companies have a logo and an address
-- What a company shows on its comp reports. The logo is a PNG that Plat has written.
create table company_brands (
  company_id uuid primary key references companies (id) on delete cascade,
  logo bytea check (octet_length(logo) <= 300000),
  address text not null default '' check (char_length(address) <= 400)
);
