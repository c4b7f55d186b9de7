-- The Idempotency-Key of an order: a call that is repeated after its process died finds the export it has made.
alter table exports add column order_key text;
