-- Notes of searches are written by the hundred thousand after a merge, and read by their search alone.
alter table search_changes drop constraint search_changes_pkey;
drop index search_changes_search;
alter table search_changes add primary key (search_id, n);
drop index search_changes_at;
-- Only to delete old ones; they are written in the order of time.
create index search_changes_at on search_changes using brin (at);

-- One index for both: deliveries are written three times each.
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
drop index webhook_deliveries_message;
alter table webhook_deliveries add primary key (message_id, webhook_id);

-- Only what this saved search takes note of; of one that is deleted there is nothing any more.
alter table webhooks add column search_id uuid;
create index webhooks_search on webhooks (search_id) where search_id is not null;

drop trigger record_change on webhooks;
create trigger record_change after insert or update of url, types, fips, search_id, enabled or delete on webhooks
  for each row execute function record_change();
