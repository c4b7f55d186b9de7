-- Stores the parcels whose owner has a word as a bitmap.
-- $1 fips int, $2 word text, $3 bitmap bytea
update owner_words
set serials = $3::bytea, is_bitmap = true
where fips = $1::int and word = $2::text
