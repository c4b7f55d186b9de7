-- $1 name or id
select id from accounts where name = $1 or id::text = $1;
