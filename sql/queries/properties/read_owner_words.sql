-- The parcels of one piece alone; see find_owner_words.sql.
-- $1 fips int, $2 LIKE pattern text
select serials, is_bitmap
from owner_words
where fips = $1::int and word like upper($2::text)
