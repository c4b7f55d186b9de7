-- Makes this attempt the one that answers a call with an Idempotency-Key, unless the call was answered within 24 hours or another
-- attempt is at it. A row when it is.
-- $1 account id, $2 key, $3 fingerprint of the request, $4 the attempt, $5 milliseconds for which others wait
insert into idempotent_calls as c (account_id, key, fingerprint, claim, claimed_until, created_at)
values ($1, $2, $3, $4, now() + $5::int * interval '1 ms', now())
on conflict (account_id, key) do update
set fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
  created_at = excluded.created_at, status = null, body = null
where case when c.status is null then c.claimed_until <= now() else c.created_at <= now() - interval '24 hours' end
returning claim;
