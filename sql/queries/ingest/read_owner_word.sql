-- Reads the parcels whose owner has a word.
-- $1 fips int, $2 word text
select serials, is_bitmap
from owner_words
where fips = $1::int and word = $2::text
