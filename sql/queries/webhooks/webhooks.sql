-- name: set_actor
-- Sets the actor for the transaction's changes: the user's email address, or else the call's API key, or else
-- an assistant.
select set_config('plat.actor', coalesce(
  (select email from users where id = :user_id::uuid), (select 'key ' || name from api_keys where id = :key_id::uuid), 'an assistant'
), true);

-- name: list_webhooks
-- Webhooks of an account, oldest first. `webhook_id`: null for all.
select w.id, w.url, w.types, w.fips, w.search_id, w.enabled, w.disabled_because, w.failing_since, w.created_at,
  (select max(expires_at) from webhook_secrets s where s.webhook_id = w.id and s.expires_at > now()) as old_secret_until
from webhooks w
where w.account_id = :account_id and (:webhook_id::uuid is null or w.id = :webhook_id)
order by w.created_at, w.id;

-- name: count_webhooks
-- How many webhooks an account has. Run it under market/lock_company.
select count(*)::int as webhooks from webhooks where account_id = :account_id;

-- name: insert_webhook
-- Adds a webhook.
insert into webhooks (account_id, url, types, fips, search_id, enabled)
values (:account_id, :url, :types, :fips, :search_id, :enabled)
returning id;

-- name: insert_secret
-- Adds a secret, which signs all later deliveries.
insert into webhook_secrets (webhook_id, secret, created_at) values (:webhook_id, :secret, now());

-- name: read_secret
-- The newest secret of a webhook.
select secret from webhook_secrets where webhook_id = :webhook_id and expires_at is null;

-- name: retire_secrets
-- Keeps the current secret valid for `hours` hours, and deletes older secrets.
with older as (
  delete from webhook_secrets where webhook_id = :webhook_id and expires_at is not null
)
update webhook_secrets set expires_at = now() + :hours * interval '1 hour'
where webhook_id = :webhook_id and expires_at is null;

-- name: record_rotation
-- Records the rotation in the audit table.
insert into audit (actor, action, entity, entity_id, account_id)
values (current_setting('plat.actor'), 'rotate_secret', 'webhooks', :webhook_id::text, :account_id);

-- name: update_webhook
-- Changes a webhook of an account. Turning a webhook on again clears its failures. Returns no row if the
-- webhook doesn't exist.
update webhooks
set url = :url, types = :types, fips = :fips, search_id = :search_id, enabled = :enabled,
  disabled_because = case when not :enabled then disabled_because end,
  failing_since = case when :enabled and not enabled then null else failing_since end
where id = :webhook_id and account_id = :account_id
returning id;

-- name: delete_webhook
-- Deletes a webhook of an account with its pending deliveries. Returns no row if the webhook doesn't exist.
delete from webhooks where id = :webhook_id and account_id = :account_id returning id;

-- name: add_test
-- Creates a test message without content, for one webhook.
with message as (
  insert into webhook_messages (seq, type, at, data, webhook_id)
  select seq, 'webhook.test', now(), jsonb_build_object('seq', seq), :webhook_id
  from webhook_position
  returning id
)
insert into webhook_deliveries (webhook_id, message_id, created_at, next_at)
select :webhook_id, id, now(), now() from message
returning message_id;

-- name: replay_messages
-- Delivers one message, or all matching messages since a time, to a webhook again, whatever their status.
-- Either `message_id` or `since` is null.
with wanted as (
  select m.id
  from webhooks w
  join webhook_messages m on case
    when m.webhook_id is null then w.search_id is null and m.type = any (w.types) and (w.fips is null or w.fips = m.fips)
    else m.webhook_id = w.id and m.type <> 'webhook.test'
  end
  where w.id = :webhook_id and (m.id = :message_id::uuid or m.at >= :since::timestamptz)
  union
  select message_id from webhook_deliveries where webhook_id = :webhook_id and message_id = :message_id
)
insert into webhook_deliveries as d (webhook_id, message_id, created_at, next_at)
select :webhook_id, id, now(), now() from wanted
on conflict (webhook_id, message_id) do update
set state = 'pending', attempts = 0, turn = d.turn + 1, next_at = now(), leased_until = null, status = null, error = null
returning message_id;

-- name: list_deliveries
-- The newest deliveries to a webhook. `state`, `message_id`: null for all.
select d.message_id, m.type, m.seq, m.fips, d.state, d.attempts, d.created_at, d.last_at, d.status, d.error,
  case when d.state = 'pending' then d.next_at end as next_at
from webhook_deliveries d
join webhook_messages m on m.id = d.message_id
where d.webhook_id = :webhook_id and (:state::text is null or d.state = :state)
  and (:message_id::uuid is null or d.message_id = :message_id)
order by d.created_at desc, m.seq desc, d.message_id
limit :limit;

-- name: notify_dispatchers
-- Wakes the workers' dispatchers when the transaction commits.
select pg_notify(:channel, '');
