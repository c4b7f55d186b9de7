-- The same as find_owner_words.sql for shorter pieces: reads all words of the county, 20 ms for 90,000 of them. Not by LIKE,
-- for which the planner would take an index that knows nothing of such pieces.
-- $1 fips int, $2 pieces text[]
select (p.number - 1)::int as piece, w.serials, w.is_bitmap
from owner_words w
join unnest($2::text[]) with ordinality p (piece, number) on position(upper(p.piece) in w.word) > 0
where w.fips = $1::int
