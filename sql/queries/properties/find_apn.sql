-- Finds the parcels of a county by their number, whatever its spaces, dashes, dots and case, and by their owner.
-- $1 fips int, $2 apn text, $3 LIKE patterns that the primary owner's name must match text[], empty for none
select (p.property_id - p.fips * 100000000::bigint)::int as serial
from parcels p
where p.fips = $1::int
  and p.apn_normalized = upper(translate($2::text, ' .-', ''))
  and p.retired_at is null
  and upper(p.owner_name) like all (array(select upper(pattern) from unnest($3::text[]) pattern))
