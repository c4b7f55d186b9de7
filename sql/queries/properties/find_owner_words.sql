-- Finds the words of a county's owners that hold each of some pieces of text. Gives the order of the pieces by how many
-- parcels have such words, and, of the piece with the fewest, the words' parcels; without any, one row of nothing. The
-- index knows pieces of three letters and more.
-- $1 fips int, $2 LIKE patterns of the pieces text[]
with words as materialized (
  select p.number, w.serials, w.is_bitmap
  from unnest($2::text[]) with ordinality p (pattern, number)
  left join owner_words w on w.fips = $1::int and w.word like upper(p.pattern)
),
ranking as (
  select array_agg((number - 1)::int order by bytes, number) as fewest_first
  from (select number, coalesce(sum(octet_length(serials)), 0) as bytes from words group by number) sized
)
select r.fewest_first, w.serials, w.is_bitmap
from ranking r
join words w on w.number = r.fewest_first[1] + 1
