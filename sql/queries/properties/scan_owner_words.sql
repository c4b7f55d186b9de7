-- Reads the parcels of all words of a county's owners that hold a piece of text, where those are too many to be named:
-- goes through 90,000 words in 20 ms. One row at least; for version see list_owner_words.sql.
-- $1 fips int, $2 piece in upper case text
select v.version, w.serials, w.is_bitmap
from (select (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version) v
left join owner_words w on w.fips = $1::int and position($2::text in w.word) > 0
