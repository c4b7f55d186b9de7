-- The account with this id or, if there is none, of this name. $1 id or name
select id from accounts where id::text = lower($1) or name = $1
order by id::text = lower($1) desc
limit 1;
