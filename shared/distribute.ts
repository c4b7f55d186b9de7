import pg from 'pg';
import { PlatError } from './errors.ts';
import { LOCKS } from './locks.ts';

/** The tables that grow with the nation, each with the column whose hash names its shard; those of one column lie together. */
const TABLES = {
  parcels: 'fips',
  parcel_filters: 'fips',
  parcel_attributes: 'fips',
  valuations: 'fips',
  owner_words: 'fips',
  attributes_dirty: 'fips',
  owner_parcels: 'owner_key',
} as const;

export type Distributed = { table: string; key: string; colocated: string; shards: number; rows: number; done: boolean };

/**
 * Spreads the tables that grow with the nation over a Citus cluster's workers: a table at a time, each in a transaction of its own, so
 * that what was cut off goes on with the next table. Tables partitioned by state become plain ones first, as shards take the place of
 * partitions.
 * @throws PlatError `citus_missing`, `citus_workers`, `citus_prepared` when the server is not ready.
 */
export async function distribute(databaseUrl: string, shards: number): Promise<Distributed[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'plat migrate --distribute' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrate]);
    const done: Distributed[] = [];
    for (const [table, key] of Object.entries(TABLES)) done.push(await distributeTable(client, table, key, shards));
    return done;
  } finally {
    await client.end();
  }
}

async function distributeTable(client: pg.Client, table: string, key: string, shards: number): Promise<Distributed> {
  const colocated = Object.entries(TABLES).find(([, other]) => other === key)![0];
  await client.query('begin');
  await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
  const { rows: [known] } = await client.query<{ partitioned: boolean; distributed: boolean }>(
    `select c.relkind = 'p' as partitioned, exists (select 1 from pg_dist_partition p where p.logicalrelid = c.oid) as distributed
     from pg_class c where c.oid = $1::regclass`, [table]);
  if (!known!.distributed) {
    if (known!.partitioned) await flatten(client, table, key, colocated, shards);
    else await spread(client, table, key, table === colocated ? null : colocated, shards);
  }
  await client.query('commit');
  return { table, key, colocated, shards, rows: 0, done: !known!.distributed };
}

const spread = (client: pg.Client, table: string, key: string, colocated: string | null, shards: number) =>
  colocated === null
    ? client.query("select create_distributed_table($1, $2, shard_count => $3, colocate_with => 'none')", [table, key, shards])
    : client.query('select create_distributed_table($1, $2, colocate_with => $3)', [table, key, colocated]);

async function flatten(client: pg.Client, table: string, key: string, colocated: string, shards: number) {
  const flat = `${table}_flat`;
  const { rows: indexes } = await client.query<{ definition: string; constraint: string | null; name: string }>(
    `select pg_get_indexdef(i.indexrelid) as definition, i.indexrelid::regclass::text as name, pg_get_constraintdef(k.oid) as constraint
     from pg_index i left join pg_constraint k on k.conindid = i.indexrelid where i.indrelid = $1::regclass`, [table]);
  const { rows: [columns] } = await client.query<{ list: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`, [table]);
  await client.query(`create table ${flat} (like ${table} including defaults including constraints including generated including storage)`);
  await spread(client, flat, key, table === colocated ? null : colocated, shards);
  await client.query(`lock table ${table} in access exclusive mode`);
  await client.query(`insert into ${flat} (${columns!.list}) select ${columns!.list} from ${table}`);
  await client.query(`drop table ${table}`);
  await client.query(`alter table ${flat} rename to ${table}`);
  for (const { definition, constraint, name } of indexes)
    await client.query(constraint ? `alter table ${table} add constraint ${name} ${constraint}` : definition.replace(' ON ONLY ', ' ON '));
}
