-- What is kept of a call with an Idempotency-Key. $1 account id, $2 key
select fingerprint, status, body from idempotent_calls where account_id = $1 and key = $2;
