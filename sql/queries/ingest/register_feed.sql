-- Writes a feed's definition under its name.
-- $1 name text, $2 kind text, $3 definition jsonb, $4 as_of date
-- Returns: id, checkpoint
insert into feeds as f (name, kind, definition, as_of)
values ($1, $2, $3, $4)
on conflict (name) do update
set kind = excluded.kind, definition = excluded.definition, as_of = excluded.as_of, updated_at = now()
returning id, checkpoint
