-- Removes a saved market of the caller's company. $1 account id, $2 market id
-- Returns its id; no row when the company has no such market.
delete from saved_markets
where id = $2 and company_id = (select company_id from accounts where id = $1)
returning id
