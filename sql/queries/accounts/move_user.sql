-- Takes a user to another company, with the account that is named; no row when the user has others besides.
-- $1 user id, $2 company id, $3 account id
update users u set company_id = $2
where u.id = $1 and not exists (select from accounts a where a.user_id = u.id and a.id <> $3)
returning u.id;
