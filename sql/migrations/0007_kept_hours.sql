-- How long the answer of a call is kept for its repeats: what a page has paid for is shown for longer.
alter table idempotent_calls add column kept_hours int not null default 24;
