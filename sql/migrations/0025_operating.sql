-- Who runs a job, null between its attempts; how many attempts ended without a word because their worker died; and when the next
-- attempt begins after one that failed.
alter table jobs
  add column worker text,
  add column deaths integer not null default 0,
  add column next_at timestamptz;

-- Since when an account's keys are refused; null while they are not.
alter table accounts add column disabled_at timestamptz;
