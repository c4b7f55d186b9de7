-- What was changed about a tier, the oldest first. $1 its name
select at, actor, action, entity, entity_id, before, after from audit
where account_id is null and entity = 'tiers' and entity_id = $1
order by id;
