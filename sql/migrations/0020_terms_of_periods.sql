-- A charge that waits for its period while the account is changed must not be judged by the terms that it has read before: it finds the
-- period under other terms than its account's, and reads again.

-- How often the terms were changed.
alter table accounts add column terms int not null default 0;

-- The account's, when the period was last current.
alter table usage_periods add column terms int not null default 0;

-- As in 0010, but for the count: it tells nothing that the changes beside it do not.
create or replace function record_change() returns trigger language plpgsql as $$
declare
  hidden constant text[] := '{key_hash,last_used_at,tokens_allowed,terms}';
  old_row constant jsonb := case when tg_op = 'INSERT' then null else to_jsonb(old) - hidden end;
  new_row constant jsonb := case when tg_op = 'DELETE' then null else to_jsonb(new) - hidden end;
  whole constant jsonb := coalesce(new_row, old_row);
  same constant text[] := case when tg_op = 'UPDATE' then array(
    select o.key from jsonb_each(old_row) as o join jsonb_each(new_row) as n on n.key = o.key and n.value = o.value
  ) else '{}' end;
begin
  if tg_op = 'UPDATE' and old_row = new_row then
    return null;
  end if;
  insert into audit (actor, action, entity, entity_id, account_id, before, after)
  values (
    coalesce(nullif(current_setting('plat.actor', true), ''), session_user), lower(tg_op), tg_table_name,
    coalesce(whole ->> 'id', whole ->> 'name'),
    case tg_table_name when 'accounts' then whole ->> 'id' else whole ->> 'account_id' end::uuid,
    old_row - same, new_row - same
  );
  return null;
end
$$;
