-- name: list_tables
-- The tables in schema public for sql/schema.sql, without partitions, schema_migrations, and tables that
-- belong to extensions. Not-null constraints are written as part of their columns, although PostgreSQL 18
-- lists them separately.
select
  quote_ident(c.relname) as name,
  c.relpersistence = 'u' as unlogged,
  pg_get_partkeydef(c.oid) as partition_key,
  c.reloptions as options,
  (
    select jsonb_agg(jsonb_build_object(
      'name', quote_ident(a.attname),
      'type', format_type(a.atttypid, a.atttypmod),
      'collation', case when a.attcollation <> t.typcollation then a.attcollation::regcollation::text end,
      'default', pg_get_expr(d.adbin, d.adrelid),
      'generated', a.attgenerated,
      'identity', a.attidentity,
      'notNull', a.attnotnull,
      'storage', case when a.attstorage <> t.typstorage then
        case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end
    ) order by a.attnum)
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ) as columns,
  (
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', quote_ident(k.conname), 'definition', pg_get_constraintdef(k.oid)
    ) order by array_position('{p,u,x,c}', k.contype::text), k.conname), '[]')
    from pg_constraint k
    where k.conrelid = c.oid and k.contype in ('p', 'u', 'x', 'c')
  ) as constraints
from pg_class c
where c.relnamespace = 'public'::regnamespace
  and c.relkind in ('r', 'p')
  and not c.relispartition
  and c.relname not in ('schema_migrations', 'schema_expansions')
  and not exists (select 1 from pg_depend e where e.objid = c.oid and e.classid = 'pg_class'::regclass and e.deptype = 'e')
order by c.relname;
