-- Finds the words of a county's owners that hold each piece of text, and the parcels whose owner has them.
-- $1 fips int, $2 LIKE patterns of the pieces text[]
select (p.number - 1)::int as piece, w.serials
from unnest($2::text[]) with ordinality p (pattern, number)
join owner_words w on w.fips = $1::int and w.word like upper(p.pattern)
