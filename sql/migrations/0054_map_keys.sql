-- expanding: tiles that are paid for, and the websites that can use a map key

-- A token pays for several tiles. `tiles_paid`: the ones that the account can still get in this period.
alter table usage_periods add column tiles_paid smallint not null default 0;

-- Websites whose pages can use the key, such as https://maps.example.com. Empty for all keys that aren't map
-- keys.
alter table api_keys add column origins text[] not null default '{}';

create or replace trigger record_change
after insert or delete or update of account_id, name, key_hash, prefix, scopes, expires_at, revoked_at, origins on api_keys
for each row execute function record_change();
