-- name: check_server
-- Whether the database refuses writes, because it is a standby or set to read-only.
select current_setting('transaction_read_only')::boolean as read_only

-- name: summarise_server
-- Whether the database accepts writes, and how many of its connections are in use.
select
  current_setting('transaction_read_only')::boolean as read_only,
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max_connections

-- name: find_data_directory
-- The server's data directory. Returns no row for a role that isn't allowed to see it.
select setting as path from pg_settings where name = 'data_directory'
