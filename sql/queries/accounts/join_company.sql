-- The company of this name, founded if it is not there. $1 name
with known as (
  select id from companies where name = $1
), founded as (
  insert into companies (name) select $1 where not exists (select from known) returning id
)
select id from known union all select id from founded;
