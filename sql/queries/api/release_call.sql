-- The attempt has failed: the next one begins anew. $1 account id, $2 key, $3 the attempt
delete from idempotent_calls where account_id = $1 and key = $2 and claim = $3 and status is null;
