-- Writes a feed's definition under its name, unless data of another kind was accepted under it.
-- $1 name text, $2 kind text, $3 definition jsonb, $4 as_of date
-- Returns: id, checkpoint; nothing for a feed of another kind
insert into feeds as f (name, kind, definition, as_of)
values ($1, $2, $3, $4)
on conflict (name) do update
set kind = excluded.kind, definition = excluded.definition, as_of = excluded.as_of, updated_at = now()
where
  f.kind = excluded.kind
  or not exists (select from runs r where r.feed_id = f.id and r.status in ('merged', 'unchanged'))
returning id, checkpoint
