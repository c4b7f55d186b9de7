-- Who has begun a comp report: its print says so. Null for those begun with an account's key, and before.
alter table comp_reports add column user_id uuid references users (id) on delete set null;
