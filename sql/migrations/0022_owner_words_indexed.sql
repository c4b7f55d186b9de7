-- The service looks for pieces of owners' names here, through the index, and holds none of the words itself. Every word keeps its
-- parcels as one list of serials, also those that many owners have.
truncate owner_words;
alter table owner_words drop column is_bitmap;
insert into owner_words (fips, word, serials)
select fips, word, string_agg(int4send(serial), '')
from (
  select p.fips, (p.property_id - p.fips * 100000000::bigint)::int as serial, left(w.word, 500) as word
  from parcels p
  cross join lateral string_to_table(upper(p.owner_name), ' ') w (word)
  where p.retired_at is null
) named
where word <> ''
group by fips, word;

-- Without a list of pending entries, which every search would have to read through after an ingestion.
create index owner_words_pieces on owner_words using gin (fips, word gin_trgm_ops) with (fastupdate = off);
