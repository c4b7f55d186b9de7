-- How many comps the run adds, changes or takes off the market. A sale of several parcels that is stored as none is no
-- reason for a merge: while the roll stays as it is, the parcels tell as much.
-- Returns: touched
select count(*)::int as touched
from stage_listing_match m
join stage_listing s on s.id = m.id
where m.state <> 'unchanged'
  and (s.status <> 'OFF_MARKET' or coalesce(m.old_status, 'OFF_MARKET') <> 'OFF_MARKET')
