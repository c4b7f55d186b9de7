-- name: list_counties
-- The counties with parcels, how many they have, how their numbers are written, and the box around them, in
-- degrees.
select fips, parcels, apn_shapes, west, south, east, north
from county_coverage

-- name: find_words
-- In each county that has every term of a question, the serials of the parcels with it, 4 bytes a serial,
-- in base64, some more than once: of the two terms that have the fewest. Windows by county rather than a
-- join: a cluster answers them shard by shard. Counties are no condition: there are words of those with
-- parcels alone, and the planner would read all their words rather than go by a word. By range of words:
-- `tables`, the table that it is asked of, one question each; `terms`, of which term it is; `begins`, `ends`,
-- its beginning and its end, which is excluded; `counts`, terms of the question; `most`, bytes of a word's
-- serials that are read. `cut`: whether there are more.
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

-- name: find_names
-- Places of layers of names by the beginning of their name, the shortest first; in 1e-7 degrees.
select l.name, l.class, l.words, (l.extent[0])[0] as lon, (l.extent[0])[1] as lat
from layer_features l
where l.words >= :begin and l.words < :end
  and l.feed_id in (select feed_id from land_layers where kind = 'places')
order by length(l.words), l.words, l.id
limit :limit::int
