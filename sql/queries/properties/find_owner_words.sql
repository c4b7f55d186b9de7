-- Finds the words of a county's owners that hold each piece of text, and the parcels whose owner has them. The index
-- knows pieces of three letters and more.
-- $1 fips int, $2 LIKE patterns of the pieces text[]
select (p.number - 1)::int as piece, w.serials, w.is_bitmap
from unnest($2::text[]) with ordinality p (pattern, number)
join owner_words w on w.fips = $1::int and w.word like upper(p.pattern)
