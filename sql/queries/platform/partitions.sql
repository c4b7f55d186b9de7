-- name: list_partitioned
-- Returns which of the tables are partitioned.
select relname as name from pg_class where oid = any (:tables::regclass[]) and relkind = 'p'

-- name: list_partitions
-- The partitions of the tables.
select inhrelid::regclass::text as name from pg_inherits where inhparent = any (:tables::regclass[])

-- name: find_table
-- Returns a row if the table exists.
select 1 as found where to_regclass(:table) is not null
