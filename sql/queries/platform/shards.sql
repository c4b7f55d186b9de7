-- name: has_citus
-- Whether this database has the Citus extension.
select exists (select 1 from pg_extension where extname = 'citus') as citus

-- name: list_nodes
-- The nodes of the cluster, whether each accepts shards, and how many prepared transactions each allows.
-- Needs Citus.
select
  n.nodename || ':' || n.nodeport as node,
  n.shouldhaveshards as shards,
  s.result::int as prepared
from run_command_on_all_nodes('show max_prepared_transactions') as s
join pg_dist_node n on n.nodeid = s.nodeid
where n.isactive
order by n.nodename, n.nodeport

-- name: list_page_costs
-- The nodes whose random_page_cost in this database is above the given one. Session settings don't reach the
-- nodes. Needs Citus.
select n.nodename || ':' || n.nodeport as node, s.result::float8 as cost
from run_command_on_all_nodes('show random_page_cost') as s
join pg_dist_node n on n.nodeid = s.nodeid
where n.isactive and s.result::float8 > :cost
order by n.nodename, n.nodeport

-- name: distribute_functions
-- Creates the functions of schema public on every node, because pushed-down statements call them there. Needs
-- Citus.
select create_distributed_function(p.oid::regprocedure)
from pg_proc p
where p.pronamespace = 'public'::regnamespace
  and p.prorettype <> 'trigger'::regtype
  and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')

-- name: get_table
-- Returns how a table is distributed. Needs Citus.
select
  c.relkind = 'p' as partitioned,
  p.logicalrelid is not null as distributed,
  (select count(*)::int from pg_dist_shard s where s.logicalrelid = c.oid) as shards,
  (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
    from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  ) as columns
from pg_class c
left join pg_dist_partition p on p.logicalrelid = c.oid
where c.oid = :name::regclass

-- name: list_indexes
-- Statements that create a table's indexes, or the constraints that own them.
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition, pg_get_constraintdef(k.oid) as "constraint"
from pg_index i
left join pg_constraint k on k.conindid = i.indexrelid
where i.indrelid = :table::regclass

-- name: copy_rows
-- Copies the rows of a table into its replacement. moved: the replacement's name. columns: the columns that
-- both tables have. table: the original's name.
insert into {{moved}} ({{columns}}) select {{columns}} from {{table}}

-- name: list_distributed
-- The distributed tables, each with its distribution column, number of shards, and size in bytes including
-- indexes (in total, and for the largest shard). Needs Citus.
select
  s.table_name::text as "table",
  column_to_column_name(s.table_name, p.partkey) as key,
  count(distinct s.shardid)::int as shards,
  count(distinct (s.nodename, s.nodeport))::int as nodes,
  sum(s.shard_size)::bigint as bytes,
  max(s.shard_size)::bigint as largest
from citus_shards s
join pg_dist_partition p on p.logicalrelid = s.table_name
group by s.table_name, p.partkey
order by s.table_name::text

-- name: list_prepared
-- Prepared transactions of this database on the nodes, with their age. Needs Citus. `minutes`: minimum age.
select n.nodename || ':' || n.nodeport as node, x.gid, x.minutes
from run_command_on_all_nodes(
  $command$
    select coalesce(json_agg(json_build_object('gid', gid, 'minutes', floor(extract(epoch from now() - prepared) / 60))), '[]')
    from pg_prepared_xacts
    where database = current_database()
  $command$
) as s
join pg_dist_node n on n.nodeid = s.nodeid
cross join json_to_recordset(s.result::json) as x (gid text, minutes int)
where x.minutes >= :minutes::int
order by x.minutes desc, x.gid

-- name: analyze_counties
-- Analyzes the given counties' shards on the nodes, because `analyze` on a distributed table would read all
-- shards. Needs Citus. `tables`: each as `name` or `name (columns)`.
with shard as (
  select distinct split_part(t, ' ', 1)::regclass as of, substr(t, strpos(t || ' ', ' ')) as columns,
    get_shard_id_for_distribution_column(split_part(t, ' ', 1)::regclass, f) as id
  from unnest(:tables::text[]) t
  cross join unnest(:counties::int[]) f
),
work as (
  select array_agg(n.nodename::text) as hosts, array_agg(n.nodeport) as ports,
    array_agg(format('analyze %s%s', shard_name(s.of, s.id), s.columns)) as commands
  from shard s
  join pg_dist_placement p on p.shardid = s.id
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
)
select r.node_name as node, r.result
from work
cross join master_run_on_worker(hosts, ports, commands, true) r
where not r.success
