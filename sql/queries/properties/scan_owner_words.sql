-- The same as read_owner_words.sql for shorter pieces: reads all words of the county, 20 ms for 90,000 of them. Not by LIKE,
-- for which the planner would take an index that knows nothing of such pieces.
-- $1 fips int, $2 piece text
select serials, is_bitmap
from owner_words
where fips = $1::int and position(upper($2::text) in word) > 0
