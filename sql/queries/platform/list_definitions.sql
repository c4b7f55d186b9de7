-- Statements that create all objects of schema public except tables: those before the tables (phase 1),
-- indexes and foreign keys (3), and those that depend on the tables (4). Objects that belong to extensions,
-- indexes and constraints of partitions, and sequences owned by columns are excluded.
with ours as (
  select c.* from pg_class c
  where c.relnamespace = 'public'::regnamespace and not c.relispartition and c.relname not in ('schema_migrations', 'schema_expansions')
    and not exists (select 1 from pg_depend e where e.objid = c.oid and e.classid = 'pg_class'::regclass and e.deptype = 'e')
)
select 1 as phase, 1 as kind, e.extname::text as name, format('create extension if not exists %I;', e.extname) as definition
from pg_extension e
where e.extname <> 'plpgsql'

union all
select 1, 2, t.typname, format(
  'create type %I as enum (%s);', t.typname,
  (select string_agg(quote_literal(v.enumlabel), ', ' order by v.enumsortorder) from pg_enum v where v.enumtypid = t.oid))
from pg_type t
where t.typnamespace = 'public'::regnamespace and t.typtype = 'e'
  and not exists (select 1 from pg_depend e where e.objid = t.oid and e.classid = 'pg_type'::regclass and e.deptype = 'e')

union all
select 1, 3, c.relname, format(
  'create sequence %I as %s start %s increment %s minvalue %s maxvalue %s%s;', c.relname, s.seqtypid::regtype,
  s.seqstart, s.seqincrement, s.seqmin, s.seqmax, case when s.seqcycle then ' cycle' else '' end)
from ours c
join pg_sequence s on s.seqrelid = c.oid
where not exists (select 1 from pg_depend o where o.objid = c.oid and o.classid = 'pg_class'::regclass and o.deptype in ('a', 'i'))

union all
-- Functions come before tables, because defaults, checks, and indexes may call them. A function's SQL body is
-- checked only when the function runs.
select 1, 4, p.oid::regprocedure::text, rtrim(pg_get_functiondef(p.oid), E'\n') || ';'
from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
  and not exists (select 1 from pg_depend e where e.objid = p.oid and e.classid = 'pg_proc'::regclass and e.deptype = 'e')

union all
select 3, 1, c.relname || ' ' || i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) || ';'
from ours c
join pg_index i on i.indrelid = c.oid
where c.relkind in ('r', 'p', 'm') and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)

union all
select 3, 2, c.relname || ' ' || k.conname, format(
  'alter table %I add constraint %I %s;', c.relname, k.conname, pg_get_constraintdef(k.oid))
from ours c
join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0

union all
select 4, 1, c.relname, format(
  E'create %sview %I as\n%s', case c.relkind when 'm' then 'materialized ' else '' end, c.relname, pg_get_viewdef(c.oid))
from ours c
where c.relkind in ('v', 'm')

union all
select 4, 2, c.relname || ' ' || t.tgname, pg_get_triggerdef(t.oid) || ';'
from ours c
join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal and t.tgparentid = 0

order by phase, kind, name;
