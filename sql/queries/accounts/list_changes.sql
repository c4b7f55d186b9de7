-- What was changed about an account and its keys, the oldest first. $1 account id
select at, actor, action, entity, entity_id, before, after from audit where account_id = $1 order by id;
