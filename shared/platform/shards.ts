import pg from 'pg';
import { type Queryable, RANDOM_PAGE_COST, sql, statement } from './db.ts';
import { PlatError } from './errors.ts';
import { LOCKS } from './locks.ts';

/**
 * Tables that grow with the number of counties, each with its distribution column. Tables with the same
 * column are colocated.
 */
export const DISTRIBUTION_COLUMNS = {
  parcels: 'fips',
  parcel_filters: 'fips',
  parcel_attributes: 'fips',
  valuations: 'fips',
  assessed_land_values: 'fips',
  owner_words: 'fips',
  situs_words: 'fips',
  given_rows: 'fips',
  attributes_dirty: 'fips',
  owner_parcels: 'owner_key',
};

/** The default of Citus: a few per core of a starting cluster. */
const DEFAULT_SHARDS = 32;

export type Distributed = {
  table: string;
  key: string;
  /** The table that it is colocated with. Itself for the first of its key. */
  colocated_with: string;
  shards: number;
  /** Moved into the shards just now; null for a table that was distributed before. */
  rows: number | null;
};

export type ShardedTable = {
  table: string;
  key: string;
  shards: number;
  nodes: number;
  /** With indexes. */
  bytes: number;
  largest: number;
};

type Table = { partitioned: boolean; distributed: boolean; shards: number; columns: string };

/**
 * Distributes the large tables over the nodes of a Citus cluster, with their rows. Each table has its own
 * transaction, so an interrupted call can be repeated.
 * @throws PlatError `citus_missing`, `citus_nodes`, `citus_shards`: nothing was changed; `citus_prepared`,
 * see `assertClusterReady`
 */
export async function distribute(databaseUrl: string, shards?: number): Promise<Distributed[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'plat migrate --distribute',
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrate]);
    if (!(await hasCitus(client)))
      throw new PlatError(
        'citus_missing',
        'This database does not have the citus extension. Install it (https://docs.citusdata.com), create the extension, and add the nodes, or migrate without --distribute.',
      );
    const { rows: nodes } = await client.query<{ shards: boolean }>(sql('platform/list_nodes'));
    if (!nodes.some(node => node.shards))
      throw new PlatError(
        'citus_nodes',
        "No node of the cluster accepts shards. Run select citus_set_coordinator_host('HOST'), then select citus_add_node('HOST', 5432) for each worker.",
      );
    await assertClusterReady(client, 1);
    await client.query(sql('platform/distribute_functions'));
    const tables: Distributed[] = [];
    for (const [table, key] of Object.entries(DISTRIBUTION_COLUMNS))
      tables.push(await spread(client, table, key, shards));
    return tables;
  } finally {
    await client.end();
  }
}

async function spread(client: pg.Client, table: string, key: string, wanted?: number): Promise<Distributed> {
  const first = Object.entries(DISTRIBUTION_COLUMNS).find(([, other]) => other === key)![0];
  await client.query('begin');
  try {
    // Rows are moved and indexes are made within one transaction, which several connections to a
    // node could not see.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
    const current = (await client.query<Table>(statement('platform/get_table', { name: table }))).rows[0]!;
    const shards = wanted ?? (current.shards || DEFAULT_SHARDS);
    if (current.distributed && current.shards !== shards)
      throw new PlatError(
        'citus_shards',
        `${table} is distributed over ${current.shards} shards. Use --shards ${current.shards}, or change the number with alter_distributed_table.`,
      );
    const place =
      table === first ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '${first}'`;
    const rows = current.distributed
      ? null
      : await moveToShards(client, table, current, `'${key}', ${place}`);
    await client.query('commit');
    return { table, key, colocated_with: first, shards, rows };
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/**
 * Creates the table again, empty and distributed, and fills it from the old one, which it replaces: a
 * partitioned one becomes plain.
 */
async function moveToShards(
  client: pg.Client,
  table: string,
  { columns }: Table,
  place: string,
): Promise<number> {
  const { rows: indexes } = await client.query<{
    name: string;
    definition: string;
    constraint: string | null;
  }>(statement('platform/list_indexes', { table }));
  const moved = `${table}_moved`;
  await client.query(`lock table ${table} in access exclusive mode`);
  await client.query(
    `create table ${moved} (like ${table} including defaults including constraints including generated including storage)`,
  );
  await client.query(`select create_distributed_table('${moved}', ${place})`);
  const { rowCount } = await client.query(
    `insert into ${moved} (${columns}) select ${columns} from ${table}`,
  );
  await client.query(`drop table ${table}`);
  await client.query(`alter table ${moved} rename to ${table}`);
  for (const { name, definition, constraint } of indexes) {
    await client.query(
      constraint === null
        ? definition.replace(' ON ONLY ', ' ON ')
        : `alter table ${table} add constraint ${name} ${constraint}`,
    );
  }
  return rowCount ?? 0;
}

/**
 * Nodes that plan reads otherwise than the API's sessions ask for, which do not reach them; none on a
 * server without Citus.
 */
export async function listNodePageCosts(db: Queryable): Promise<{ node: string; cost: number }[]> {
  if (!(await hasCitus(db))) return [];
  const { rows } = await db.query<{ node: string; cost: number }>(
    statement('platform/list_page_costs', { cost: RANDOM_PAGE_COST }),
  );
  return rows;
}

/** The distributed tables and their sizes; none on a server without Citus. */
export async function listSharded(db: Queryable): Promise<ShardedTable[]> {
  if (!(await hasCitus(db))) return [];
  return (await db.query<ShardedTable>(sql('platform/list_distributed'))).rows;
}

/** `node`: whose `commit prepared` or `rollback prepared` of `gid` ends it. */
export type PreparedTransaction = { node: string; gid: string; minutes: number };

/**
 * Transactions that were prepared on a node at least `minutes` ago and wait for their second phase; none on a
 * server without Citus.
 */
export async function listPreparedTransactions(
  db: Queryable,
  minutes: number,
): Promise<PreparedTransaction[]> {
  if (!(await hasCitus(db))) return [];
  return (await db.query<PreparedTransaction>(statement('platform/list_prepared', { minutes }))).rows;
}

/**
 * A transaction over several nodes is prepared on each. @param connections of one process @throws
 * PlatError `citus_prepared`
 */
export async function assertClusterReady(db: Queryable, connections: number): Promise<void> {
  if (!(await hasCitus(db))) return;
  const { rows: nodes } = await db.query<{ node: string; prepared: number }>(sql('platform/list_nodes'));
  const few = nodes.find(({ prepared }) => prepared < connections);
  if (few !== undefined)
    throw new PlatError(
      'citus_prepared',
      `max_prepared_transactions is ${few.prepared} on ${few.node}, but this process alone may need ${connections}. Set it to max_connections on every node, and restart them.`,
      { status: 503 },
    );
}

const hasCitus = async (db: Queryable) =>
  (await db.query<{ citus: boolean }>(sql('platform/has_citus'))).rows[0]!.citus;
