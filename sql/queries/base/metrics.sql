-- name: check_server
-- Whether the database refuses writes: a standby, or set to read-only.
select current_setting('transaction_read_only')::boolean as read_only
