-- name: list_counties
-- The counties with parcels, their number of parcels, the format of their parcel numbers, and their bounding
-- box in degrees.
select fips, parcels, apn_shapes, west, south, east, north
from county_coverage

-- name: find_words
-- For each county that has every term of a search, returns the serials of the parcels with either of the two
-- rarest terms: 4 bytes per serial, in base64, with repeats. Uses window functions by county instead of a
-- join, so that a cluster can process each shard on its own. Doesn't filter by county, because only counties
-- with parcels have words, and with such a filter PostgreSQL would read all words of these counties instead
-- of using the word index. Parameters, with one entry per range of words: `tables` (the table to search; each
-- table is a separate search), `terms` (the term that the range belongs to), `begins` and `ends` (the start
-- and the excluded end of the range), and `counts` (the number of terms in the search). `most`: the maximum
-- number of bytes to read from a word's serials. `cut`: whether a word has more serials than that.
select asked as table, fips, encode(string_agg(substring(serials from 1 for most), ''), 'base64') as serials,
  bool_or(octet_length(serials) > most) as cut
from (
  select asked, fips, term, serials, count, most,
    dense_rank() over (partition by fips, asked order by bytes, term) as rarity,
    dense_rank() over (partition by fips, asked order by term) + dense_rank() over (partition by fips, asked order by term desc) - 1 as terms
  from (
    select *, sum(octet_length(serials)) over (partition by fips, asked, term) as bytes
    from (
      select t.*, w.fips, w.serials
      from unnest(:tables::text[], :terms::int[], :begins::text[], :ends::text[], :counts::int[], :most::int[]) as t (asked, term, begins, ends, count, most)
      join owner_words w on w.word >= fold_name(t.begins) collate "C" and w.word < fold_name(t.ends) collate "C"
      where t.asked = 'owner_words'
      union all
      select t.*, w.fips, w.serials
      from unnest(:tables::text[], :terms::int[], :begins::text[], :ends::text[], :counts::int[], :most::int[]) as t (asked, term, begins, ends, count, most)
      join situs_words w on w.word >= t.begins collate "C" and w.word < t.ends collate "C"
      where t.asked = 'situs_words'
    ) matched
  ) measured
) ranked
where terms = count and rarity <= 2
group by asked, fips, term

-- name: list_owners
-- For the given parcels, the owners on the roll whose names match, by county, with the number of these
-- parcels that each owns. `patterns`: LIKE patterns for words, each preceded by a space.
select p.fips, p.owner_name as name, count(*)::int as parcels
from parcels p
where p.fips = any (:counties::int[]) and p.property_id = any (:property_ids::bigint[]) and p.retired_at is null
  and (' ' || fold_name(p.owner_name)) like all (array(select fold_name(pattern) from unnest(:patterns::text[]) pattern))
group by p.fips, p.owner_name

-- name: find_apn
-- Parcels on the roll with any of these numbers, ignoring spaces, dashes, dots, and case.
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

-- name: find_names
-- Places whose name starts with the given words, shortest name first, with locations in 1e-7 degrees.
select l.name, l.class, l.words, (l.extent[0])[0] as lon, (l.extent[0])[1] as lat
from layer_features l
where l.words >= :begin and l.words < :end
  and l.feed_id in (select feed_id from land_layers where kind = 'places')
order by length(l.words), l.words, l.id
limit :limit::int
