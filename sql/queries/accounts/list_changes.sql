-- What was changed about an account, its keys and the users it has had, the oldest first. $1 account id
select at, actor, action, entity, entity_id, before, after from audit
where account_id = $1
  or entity = 'users'
    and entity_id in (select after ->> 'user_id' from audit where account_id = $1 and entity = 'accounts')
order by id;
