-- The user with this e-mail address, made in the company if there is none.
-- $1 company id of a new user, $2 e-mail address, $3 their name, or null: as it is
insert into users as u (company_id, email, name) values ($1, $2, coalesce($3, ''))
on conflict (lower(email)) do update set name = coalesce($3, u.name)
returning id, company_id;
