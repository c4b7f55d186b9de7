-- The comps of a county of whose parcels nothing is stored, with the parcels of known land whose extents hold their points
-- and whose acreage is what was sold, as in link_comps.sql.
-- $1 county FIPS int, $2 ids of the comps uuid[], or null for all; $3 the largest correction of an acreage, as a share of what was
-- sold float8
-- Returns: id, property_id, x, y (the comp's place in integers of 1e-7 degree), boundary (of the parcel)
select l.id, f.property_id, l.location[0] as x, l.location[1] as y, p.boundary
from listings l
left join comp_land c on c.listing_id = l.id
join parcel_filters f on f.fips = $1 and l.location <@ f.extent
join parcels p on p.fips = $1 and p.property_id = f.property_id and p.boundary is not null
where l.fips = $1 and l.status <> 'OFF_MARKET' and ($2::uuid[] is null or l.id = any ($2)) and c.listing_id is null
  and (
    f.steeper_percent is not null or f.landlocked is not null or f.flood_zone_percent is not null
    or f.wetlands_percent is not null
  )
  and ((l.lot_acres > 0) is not true or abs(f.effective_acres - l.lot_acres) <= $3::float8 * l.lot_acres)
order by l.id, f.property_id
