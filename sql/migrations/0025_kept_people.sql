-- expanding: kept answers of skip traces note whom they are about, and pages' keys are apart from clients'
-- Whom the answer is about, as contact_suppressions knows them: a repeat leaves out who was suppressed since.
-- Null for answers about nobody, and for those that were kept before.
alter table idempotent_calls add column people bytea[];

-- Clients' keys have no spaces. Copies, as the version before looks for the old keys; those expire.
insert into idempotent_calls (account_id, key, fingerprint, claim, claimed_until, created_at, status, body, kept_hours)
select account_id, replace(key, 'page-trace/', 'page trace/'), fingerprint, claim, claimed_until, created_at, status, body, kept_hours
from idempotent_calls
where key like 'page-trace/%' and kept_hours > 24 and status is not null
on conflict do nothing;
