-- The user with this e-mail address. $1 address
select id from users where lower(email) = lower($1);
