-- $1 user id, $2 name
update users set name = $2 where id = $1;
