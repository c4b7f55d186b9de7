-- What a call with an Idempotency-Key has made, in the transaction that made it: a repeat after its process died,
-- or its client left, answers with it and makes nothing again. Null for what is charged for or changes nothing.
alter table idempotent_calls add column made jsonb;
