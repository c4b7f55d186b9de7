-- Keeps an answer for repeats of its call; no row when another attempt has taken over.
-- $1 account id, $2 key, $3 the attempt, $4 status, $5 body
update idempotent_calls set status = $4, body = $5
where account_id = $1 and key = $2 and claim = $3 and status is null
returning claim;
