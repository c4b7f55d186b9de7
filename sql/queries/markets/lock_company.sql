-- Lets one call at a time save markets of a company, until the end of its transaction. $1 account id
-- Returns the company's id.
select id from companies where id = (select company_id from accounts where id = $1) for update
