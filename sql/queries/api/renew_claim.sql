-- The attempt is still at it. $1 account id, $2 key, $3 the attempt, $4 milliseconds for which others wait
update idempotent_calls set claimed_until = now() + $4::int * interval '1 ms'
where account_id = $1 and key = $2 and claim = $3 and status is null;
