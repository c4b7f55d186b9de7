-- Sessions of workers in this database. An idle worker may have none for some seconds; one that works has.
-- Returns: one row
select count(*)::int as workers
from pg_stat_activity
where datname = current_database() and application_name = 'plat worker'
