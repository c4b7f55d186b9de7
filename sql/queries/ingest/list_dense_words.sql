-- The words whose parcels take less room as a bitmap than as a list.
-- $1 counties int[]
select w.fips, w.word
from owner_words w
join county_serials c on c.fips = w.fips
where w.fips = any ($1::int[]) and not w.is_bitmap and octet_length(w.serials) > c.last_serial / 8 + 4
