-- name: create_records
-- Creates a table for the records of applied migrations. records: its name.
create table if not exists {{records}} (
  version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
)

-- name: find_records
-- Returns which tables of migration records exist. Each kind of migration has its own table.
select
  to_regclass('schema_migrations') is not null as breaking,
  to_regclass('schema_expansions') is not null as expanding

-- name: list_applied
-- The applied migrations. applied: `select` statements for the tables that exist, combined with `union all`.
{{applied}}
order by version

-- name: find_chain
-- The first and the last migration of the database.
select (array_agg(name order by version))[1] as first, (array_agg(name order by version desc))[1] as last
from schema_migrations

-- name: clear_records
-- Deletes the records of the old migrations that today's first migration replaced.
delete from schema_migrations

-- name: record_migration
-- Records a migration as applied. records: the table for its kind.
insert into {{records}} (version, name, checksum) values (:version, :name, :checksum)

-- name: has_schema
-- Returns a row if the schema exists.
select from pg_namespace where nspname = :name
