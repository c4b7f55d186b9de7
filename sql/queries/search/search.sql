-- name: list_counties
-- The counties with parcels, how many they have, how their numbers are written, and the box around them, in
-- degrees.
select fips, parcels, apn_shapes, west, south, east, north
from county_coverage

-- name: find_words
-- In each county that has every term, the serials of the parcels with it, 4 bytes a serial, in base64, some
-- more than once: of the two terms that have the fewest. Windows by county rather than a join: a cluster
-- answers them shard by shard. Fragment: table of words. `terms`, `begins`, `ends`: of which term a range of
-- words is, its beginning and its end, which is excluded; `count`: terms; `most`: bytes of a word's serials
-- that are read. `cut`: whether there are more.
select fips, encode(string_agg(substring(serials from 1 for :most::int), ''), 'base64') as serials,
  bool_or(octet_length(serials) > :most::int) as cut
from (
  select fips, term, serials,
    dense_rank() over (partition by fips order by bytes, term) as rarity,
    dense_rank() over (partition by fips order by term) + dense_rank() over (partition by fips order by term desc) - 1 as terms
  from (
    select w.fips, t.term, w.serials, sum(octet_length(w.serials)) over (partition by w.fips, t.term) as bytes
    from unnest(:terms::int[], :begins::text[], :ends::text[]) as t (term, begins, ends)
    join {{table}} w
      on w.fips = any (:counties::int[]) and w.word >= fold_name(t.begins) collate "C" and w.word < fold_name(t.ends) collate "C"
  ) matched
) ranked
where terms = :count::int and rarity <= 2
group by fips, term

-- name: list_owners
-- The owners of some parcels on the roll whose names match, by county, with how many of these parcels are
-- theirs. `patterns`: LIKE patterns for words, each of which a space stands before.
select p.fips, p.owner_name as name, count(*)::int as parcels
from parcels p
where p.fips = any (:counties::int[]) and p.property_id = any (:property_ids::bigint[]) and p.retired_at is null
  and (' ' || fold_name(p.owner_name)) like all (array(select fold_name(pattern) from unnest(:patterns::text[]) pattern))
group by p.fips, p.owner_name

-- name: find_apn
-- Parcels on the roll with any of these numbers, whatever their spaces, dashes, dots and case.
select p.property_id
from parcels p
where p.fips = any (:counties::int[]) and p.apn_normalized = any (array(select upper(translate(apn, ' .-', '')) from unnest(:apns::text[]) apn)) and p.retired_at is null
order by p.fips, p.property_id
limit :limit::int

-- name: is_on_roll
-- Whether a parcel is on the roll.
select exists (
  select 1 from parcels where fips = :fips::int and property_id = :property_id::bigint and retired_at is null
) as present
