-- Companies, the markets that each one watches, and the words by which regions are found.

create table companies (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default now()
);

alter table accounts add column company_id uuid references companies (id);

-- Until now every account stood for itself.
insert into companies (name) select name from accounts;
update accounts a set company_id = c.id from companies c where c.name = a.name;

alter table accounts alter column company_id set not null;
create index accounts_company on accounts (company_id);

-- Regions that a company has pinned, with its own label of how far it is with each.
create table saved_markets (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references companies (id),
  -- A correction of the regions may give one another id (upsert_regions.sql).
  region_id uuid not null references regions (id) on update cascade,
  status text not null default '',
  -- The pinned order; a new market comes last. Markets that were removed leave gaps.
  position int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A region once a company.
  unique (company_id, region_id)
);

create index saved_markets_region on saved_markets (region_id);

-- The words of a region, each after a space: its FIPS or ZIP and the name of its county, in lower case, without accents
-- and apostrophes, hyphens and dots taken for spaces: ' 35013 dona ana county'. api/v1/region-words.ts treats what
-- people type alike.
alter table regions add column search_words text not null generated always as (
  ' ' || regexp_replace(
    regexp_replace(lower(regexp_replace(normalize(code || ' ' || county_name, NFD), '[\u0300-\u036f]', '', 'g')), '[''’]', '', 'g'),
    '[\s.,/()-]+', ' ', 'g'
  )
) stored;

create index regions_search_words on regions using gin (search_words gin_trgm_ops);
