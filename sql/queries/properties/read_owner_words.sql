-- Reads the parcels of words of a county's owners that belong to some pieces of text: for the piece whose words take
-- the least room and for all others that fit in a limit. One row at least; for version see list_owner_words.sql.
-- $1 fips int, $2 words text[], $3 to which piece each belongs int[], $4 limit in bytes int
select v.version, w.piece, w.serials, w.is_bitmap
from (select (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version) v
left join (
  select *, min(bytes) over () as least_bytes
  from (
    select p.piece, w.serials, w.is_bitmap, sum(octet_length(w.serials)) over (partition by p.piece) as bytes
    from unnest($2::text[], $3::int[]) p (word, piece)
    -- OFFSET 0: by primary key one by one, whatever the planner believes about how many words there are.
    cross join lateral (
      select serials, is_bitmap from owner_words where fips = $1::int and word = p.word offset 0
    ) w
  ) sized
) w on w.bytes <= greatest($4::int, w.least_bytes)
