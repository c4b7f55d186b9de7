-- name: create_sale_stage
-- Creates the staging table for a sales file in the run's schema. The table is unlogged and is filled once by
-- COPY.
create unlogged table stage_sale (
  row_no bigint not null,
  fips int not null,
  key text not null,
  address text,
  city text,
  state text,
  zip text,
  apn text,
  acres double precision,
  location point,
  day date not null,
  price numeric,
  book text,
  several boolean,
  sale boolean not null,
  -- The sold parcel. Null until it is found.
  parcel bigint
)

-- name: list_sale_counties
-- The counties in a sales file.
select distinct fips
from stage_sale

-- name: place_sales
-- Finds the sold parcels by key, or else by number without punctuation, or else by address, if only one
-- parcel has that address.
with known as (
  select distinct on (fips, source_key) fips, source_key, property_id
  from parcels
  where fips = any (:counties::int[]) and retired_at is null
  order by fips, source_key, feed_id
),
numbered as (
  select p.fips, n.number, min(p.property_id) as parcel
  from parcels p
  cross join lateral (
    values (upper(regexp_replace(p.source_key, '[^[:alnum:]]', '', 'g'))), (upper(regexp_replace(p.apn, '[^[:alnum:]]', '', 'g'))),
    (upper(p.situs_address || '/' || p.situs_city))
  ) as n (number)
  where p.fips = any (:counties::int[]) and p.retired_at is null and n.number <> ''
  group by p.fips, n.number
  having min(p.property_id) = max(p.property_id)
)
update stage_sale s
set parcel = coalesce(k.property_id, n.parcel, a.parcel)
from stage_sale t
left join known k on k.fips = t.fips and k.source_key = t.key
left join numbered n on n.fips = t.fips and n.number = upper(regexp_replace(t.key, '[^[:alnum:]]', '', 'g'))
left join numbered a on a.fips = t.fips and a.number = upper(t.address || '/' || t.city)
where s.ctid = t.ctid and coalesce(k.property_id, n.parcel, a.parcel) is not null

-- name: measure_sale_file
-- The number of sales in a file, and how many of them are of a parcel on a roll.
select count(*)::int as sales, count(parcel)::int as placed
from stage_sale

-- name: last_roll
-- The last run that changed parcels. If there is a newer one, a sales file is read again even if the file
-- hasn't changed.
select max(r.id)::int as run
from runs r
join feeds f on f.id = r.feed_id
where f.kind = 'assessor' and r.status = 'merged'
