-- Calls with an Idempotency-Key from more than 24 hours ago. Rows that another process is deleting are left to it. No parameters.
delete from idempotent_calls where (account_id, key) in (
  select account_id, key from idempotent_calls
  where created_at <= now() - interval '24 hours' and (status is not null or claimed_until <= now())
  limit 1000 for update skip locked
);
