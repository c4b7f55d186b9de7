-- Writes the words of the owners in these counties with the parcels on the roll that have them. An entry of the index
-- holds no word of thousands of characters: 500 are kept.
-- $1 counties int[]
insert into owner_words (fips, word, serials)
select fips, word, string_agg(int4send(serial), '')
from (
  select p.fips, (p.property_id - p.fips * 100000000::bigint)::int as serial, left(w.word, 500) as word
  from parcels p
  cross join lateral string_to_table(upper(p.owner_name), ' ') w (word)
  where p.fips = any ($1::int[]) and p.retired_at is null
) named
where word <> ''
group by fips, word
