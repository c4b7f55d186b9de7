-- Creates the database `plat` and two roles, or updates their rights:
--   plat_owner  owns the database. For `plat migrate`, and for the workers: loading a county creates a
--               partition for its state and staging tables, and analyzes them.
--   plat_api    reads and writes rows. For the APIs, which the internet reaches, and for the other commands.
-- Run it as a superuser, on PostgreSQL 15 or newer. You can run it again:
--   psql -v owner_password="$OWNER_PASSWORD" -v api_password="$API_PASSWORD" -f roles.sql
\set ON_ERROR_STOP on

select format('create role %I login nosuperuser nocreatedb nocreaterole', name)
from unnest('{plat_owner,plat_api}'::text[]) as name
where not exists (select from pg_roles where rolname = name) \gexec
alter role plat_owner password :'owner_password';
alter role plat_api password :'api_password';

select 'create database plat owner plat_owner template template0 encoding ''UTF8'' locale ''C.UTF-8'''
where not exists (select from pg_database where datname = 'plat') \gexec

-- For a database that another role created. For its tables, run: reassign owned by <that role> to plat_owner
alter database plat owner to plat_owner;

-- No one else may connect.
revoke all on database plat from public;
grant connect, temporary on database plat to plat_api;

\connect plat
-- The queues, which are here when REDIS_URL is not set.
create schema if not exists bullmq authorization plat_owner;
grant usage on schema public, bullmq to plat_api;

-- Existing tables, and tables that migrations and workers add later.
grant select, insert, update, delete on all tables in schema public, bullmq to plat_api;
grant usage, select on all sequences in schema public, bullmq to plat_api;
alter default privileges for role plat_owner grant select, insert, update, delete on tables to plat_api;
alter default privileges for role plat_owner grant usage, select on sequences to plat_api;
