import { RANDOM_PAGE_COST } from './connection-pool.ts';
import { type Db, withConnection } from './db.ts';
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
  parcel_overlays: 'fips',
  valuations: 'fips',
  assessed_land_values: 'fips',
  assemblages: 'fips',
  assemblage_values: 'fips',
  owner_words: 'fips',
  situs_words: 'fips',
  given_rows: 'fips',
  attributes_dirty: 'fips',
  owner_parcels: 'owner_key',
};

/** Citus's default, which means a few shards per core in a new cluster. */
const DEFAULT_SHARDS = 32;

export type Distributed = {
  table: string;
  key: string;
  /** The table that this one is colocated with. The first table of each key is colocated with itself. */
  colocated_with: string;
  shards: number;
  /** Number of rows just moved into the shards, or null for a table that was already distributed. */
  rows: number | null;
};

export type ShardedTable = {
  table: string;
  key: string;
  shards: number;
  nodes: number;
  /** Size including indexes. */
  bytes: number;
  largest: number;
};

type Table = { partitioned: boolean; distributed: boolean; shards: number; columns: string };

/**
 * Distributes the large tables and their rows over the nodes of a Citus cluster. Each table has its own
 * transaction, so an interrupted call can be repeated.
 * @throws PlatError `citus_missing`, `citus_nodes`, `citus_shards`: nothing was changed; `citus_prepared`,
 * see `assertClusterReady`
 */
export function distribute(databaseUrl: string, shards?: number): Promise<Distributed[]> {
  return withConnection(databaseUrl, 'plat migrate --distribute', async db => {
    await db.run('platform/wait_for_lock', { lock: LOCKS.migrate });
    if (!(await hasCitus(db)))
      throw new PlatError(
        'citus_missing',
        'This database does not have the citus extension. Install it (https://docs.citusdata.com), create the extension, and add the nodes, or migrate without --distribute.',
      );
    const nodes = await db.run<{ shards: boolean }>('platform/list_nodes');
    if (!nodes.some(node => node.shards))
      throw new PlatError(
        'citus_nodes',
        "No node of the cluster accepts shards. Run select citus_set_coordinator_host('HOST'), then select citus_add_node('HOST', 5432) for each worker.",
      );
    await assertClusterReady(db, 1);
    await db.run('platform/distribute_functions');
    const tables: Distributed[] = [];
    for (const [table, key] of Object.entries(DISTRIBUTION_COLUMNS))
      tables.push(await spread(db, table, key, shards));
    return tables;
  });
}

function spread(db: Db, table: string, key: string, wanted?: number): Promise<Distributed> {
  const first = Object.entries(DISTRIBUTION_COLUMNS).find(([, other]) => other === key)![0];
  return db.transaction(async tx => {
    // Use one connection per node. Rows are moved and indexes are created in the same transaction, whose
    // changes other connections to a node would not see.
    await tx.execute("set local citus.multi_shard_modify_mode to 'sequential'");
    const current = (await tx.run<Table>('platform/get_table', { name: table }))[0]!;
    const shards = wanted ?? (current.shards || DEFAULT_SHARDS);
    if (current.distributed && current.shards !== shards)
      throw new PlatError(
        'citus_shards',
        `${table} is distributed over ${current.shards} shards. Use --shards ${current.shards}, or change the number with alter_distributed_table.`,
      );
    const place =
      table === first ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '${first}'`;
    const rows = current.distributed ? null : await moveToShards(tx, table, current, `'${key}', ${place}`);
    return { table, key, colocated_with: first, shards, rows };
  });
}

/**
 * Creates a distributed copy of the table, fills it, and replaces the original with it. A partitioned table
 * becomes a regular one.
 */
async function moveToShards(tx: Db, table: string, { columns }: Table, place: string): Promise<number> {
  const indexes = await tx.run<{
    name: string;
    definition: string;
    constraint: string | null;
  }>('platform/list_indexes', { table });
  const moved = `${table}_moved`;
  await tx.execute(`lock table ${table} in access exclusive mode`);
  await tx.execute(
    `create table ${moved} (like ${table} including defaults including constraints including generated including storage)`,
  );
  await tx.execute(`select create_distributed_table('${moved}', ${place})`);
  const rows = await tx.rowCount('platform/copy_rows', {}, { moved, columns, table });
  await tx.execute(`drop table ${table}`);
  await tx.execute(`alter table ${moved} rename to ${table}`);
  for (const { name, definition, constraint } of indexes) {
    await tx.execute(
      constraint === null
        ? definition.replace(' ON ONLY ', ' ON ')
        : `alter table ${table} add constraint ${name} ${constraint}`,
    );
  }
  return rows;
}

/**
 * Nodes whose planner settings differ from those of the API's sessions. Session settings are not passed on to
 * nodes. Empty on a server without Citus.
 */
export async function listNodePageCosts(db: Db): Promise<{ node: string; cost: number }[]> {
  if (!(await hasCitus(db))) return [];
  return db.run<{ node: string; cost: number }>('platform/list_page_costs', {
    cost: RANDOM_PAGE_COST,
  });
}

/** The distributed tables and their sizes. Empty on a server without Citus. */
export async function listSharded(db: Db): Promise<ShardedTable[]> {
  if (!(await hasCitus(db))) return [];
  return db.run<ShardedTable>('platform/list_distributed');
}

/** A prepared transaction. To end it, run `commit prepared` or `rollback prepared` with `gid` on `node`. */
export type PreparedTransaction = { node: string; gid: string; minutes: number };

/**
 * Transactions prepared on a node at least `minutes` ago that are still waiting for their second phase. Empty
 * on a server without Citus.
 */
export async function listPreparedTransactions(db: Db, minutes: number): Promise<PreparedTransaction[]> {
  if (!(await hasCitus(db))) return [];
  return db.run<PreparedTransaction>('platform/list_prepared', { minutes });
}

/**
 * Checks that every node allows enough prepared transactions. A transaction across several nodes is prepared
 * on each of them.
 */
export async function assertClusterReady(db: Db, connections: number): Promise<void> {
  if (!(await hasCitus(db))) return;
  const nodes = await db.run<{ node: string; prepared: number }>('platform/list_nodes');
  const few = nodes.find(({ prepared }) => prepared < connections);
  if (few !== undefined)
    throw new PlatError(
      'citus_prepared',
      `max_prepared_transactions is ${few.prepared} on ${few.node}, but this process alone may need ${connections}. Set it to max_connections on every node, and restart them.`,
      { status: 503 },
    );
}

const hasCitus = async (db: Db) => (await db.run<{ citus: boolean }>('platform/has_citus'))[0]!.citus;
