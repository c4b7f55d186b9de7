-- name: check_owner_names
-- Of these parcels of a county, those whose primary owner's name matches every pattern.
-- $1 fips int, $2 property ids bigint[], $3 LIKE patterns text[]
select coalesce(string_agg(int4send((p.property_id - p.fips * 100000000::bigint)::int), ''), '') as serials, false as is_bitmap
from parcels p
where p.fips = $1::int
  and p.property_id = any ($2::bigint[])
  and upper(p.owner_name) like all (array(select upper(pattern) from unnest($3::text[]) pattern))

-- name: find_apn
-- Finds the parcels of a county by their number, whatever its spaces, dashes, dots and case, and by their owner.
-- $1 fips int, $2 apn text, $3 LIKE patterns that the primary owner's name must match text[], empty for none
select (p.property_id - p.fips * 100000000::bigint)::int as serial
from parcels p
where p.fips = $1::int
  and p.apn_normalized = upper(translate($2::text, ' .-', ''))
  and p.retired_at is null
  and upper(p.owner_name) like all (array(select upper(pattern) from unnest($3::text[]) pattern))

-- name: fold_pieces
-- Pieces of text in upper case as the words of owners are, which for other letters than ASCII's depends on the server.
-- $1 pieces text[]
select array(select upper(piece) from unnest($1::text[]) with ordinality p (piece, n) order by n) as pieces

-- name: get_parcel
-- Reads all that is known of a parcel, on the roll or retired; of a retired one filters and land layers know nothing.
-- Fragments: summary, the columns of a summary; roll, the columns that a roll fills. $1 fips int, $2 property id bigint
select {{summary}}, {{roll}}, p.boundary, p.retired_at,
  f.improvement_percent, f.out_of_state_owner, f.out_of_county_owner, f.out_of_zip_owner, f.corporate_owner,
  f.hoa_owner, coalesce(f.owner_occupied, p.owner_occupied) as owner_occupied, f.landlocked, f.wetlands_percent,
  f.flood_zone_percent, f.highway_frontage_ft, f.road_frontage_ft, f.local_frontage_ft, f.steeper_percent,
  a.min_elevation_m, a.mean_elevation_m, a.max_elevation_m, a.mean_slope_percent
from parcels p
left join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
left join parcel_attributes a
  on a.fips = f.fips and a.property_id = f.property_id and a.shape_hash = p.shape_hash
where p.fips = $1::int and p.property_id = $2::bigint

-- name: list_owner_words
-- All words of a county's owners, separated and enclosed by spaces, which no word holds, and their version; null without
-- any. 25 ms for 90,000 words. The version is the number of the transaction that wrote them: all of a county's are
-- written anew when one of its parcels changes.
-- $1 fips int
select
  (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version,
  (select ' ' || string_agg(word, ' ') || ' ' from owner_words where fips = $1::int) as words

-- name: read_owner_words
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

-- name: read_portfolio
-- Reads the parcels that share the owner of one of them, itself included, by their ids. One row at least when the parcel
-- is known; then property_id is null where it has left the roll, where it has no owner's mailing address, and where the
-- owner holds more parcels than are wanted.
-- Fragments: summary, the columns of a summary. $1 fips int, $2 property id bigint, $3 the most parcels bigint
with subject as materialized (
  select s.retired_at, f.owner_key
  from parcels s
  left join parcel_filters f on f.fips = s.fips and f.property_id = s.property_id
  where s.fips = $1::int and s.property_id = $2::bigint
),
holding as materialized (
  select s.*, (
    select count(*)
    from (select from owner_parcels o where o.owner_key = s.owner_key limit $3::bigint + 1) held
  ) as parcels
  from subject s
)
select h.retired_at is not null as retired, h.owner_key is not null as has_owner, h.parcels, portfolio.*
from holding h
left join lateral (
  select {{summary}}
  from owner_parcels o
  -- OFFSET 0: by primary key one by one, whatever the planner believes right after a large ingestion.
  cross join lateral (
    select *
    from parcels q
    where q.fips = (o.property_id / 100000000)::int and q.property_id = o.property_id
    offset 0
  ) p
  -- No key, no row: a condition beside the join might be looked at after it.
  where o.owner_key = case when h.parcels <= $3::bigint then h.owner_key end
) portfolio on true
order by portfolio.property_id

-- name: read_summaries
-- Reads parcels of one county for a list, by their ids: those whose primary owner's name matches all patterns; a county
-- known beforehand spares the planner the other states. Whether they are on the roll is not asked: it follows from the
-- version of the owners' words by which the ids were found (list_owner_words.sql). One row at least.
-- Fragments: summary, the columns of a summary. $1 fips int, $2 property ids bigint[], $3 LIKE patterns text[]
select v.version, s.*
from (select (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version) v
left join (
  select {{summary}}
  from parcels p
  where p.fips = $1::int
    and p.property_id = any ($2::bigint[])
    and upper(p.owner_name) like all (array(select upper(pattern) from unnest($3::text[]) pattern))
) s on true
order by s.property_id

-- name: scan_owner_words
-- Reads the parcels of all words of a county's owners that hold a piece of text, where those are too many to be named:
-- goes through 90,000 words in 20 ms. One row at least; for version see list_owner_words.sql.
-- $1 fips int, $2 piece in upper case text
select v.version, w.serials, w.is_bitmap
from (select (select xmin::text from owner_words where fips = $1::int order by word limit 1) as version) v
left join owner_words w on w.fips = $1::int and position($2::text in w.word) > 0
