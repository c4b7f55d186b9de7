import type { Db } from '../../../../shared/platform/db.ts';
import { LOCKS } from '../../../../shared/platform/locks.ts';

/** Tables that have one partition per state on a single server. Distributed tables have shards instead. */
const TABLES = [
  'parcels',
  'parcel_filters',
  'owner_words',
  'situs_words',
  'parcel_attributes',
  'parcel_overlays',
  'valuations',
];

const partitionOf = (table: string, state: number) => `${table}_${String(state).padStart(2, '0')}`;
const statesOf = (fips: number[]) => [...new Set(fips.map(code => Math.floor(code / 1000)))];

/**
 * Columns that queries use to find parcels. Analyzing all sixty columns would take nine times as long, and
 * autovacuum does that later.
 */
const ANALYZED_COLUMNS = '(fips, property_id, feed_id, source_key, apn_normalized, retired_at)';

/**
 * Analyzes the counties' partitions. Until autovacuum runs, the planner would otherwise treat a new county of
 * 100,000 parcels as empty.
 */
export async function analyzePartitions(db: Db, fips: number[]): Promise<void> {
  if (fips.length === 0) return;
  const isDistributed = (await listPartitioned(db)).size === 0;
  const names = TABLES.flatMap(table => {
    const parts = isDistributed ? [table] : statesOf(fips).map(state => partitionOf(table, state));
    return table === 'parcels' ? parts.map(part => `${part} ${ANALYZED_COLUMNS}`) : parts;
  });
  if (isDistributed) await db.run('platform/analyze_counties', { tables: names, counties: fips });
  else await db.execute(`analyze ${names.join(', ')}`);
}

/**
 * Creates the missing partitions of the states that `fips` names. Creating a table first and then attaching
 * it blocks no reader. CREATE TABLE … PARTITION OF would briefly lock all of them out.
 * https://www.postgresql.org/docs/current/ddl-partitioning.html#DDL-PARTITIONING-DECLARATIVE-MAINTENANCE
 */
export async function ensurePartitions(db: Db, fips: number[]): Promise<void> {
  const partitioned = await listPartitioned(db);
  const rows = await db.run<{ name: string }>('platform/list_partitions', { tables: [...partitioned] });
  const present = new Set(rows.map(row => row.name));
  for (const state of statesOf(fips)) {
    for (const table of partitioned) {
      const name = partitionOf(table, state);
      if (!present.has(name)) await createPartition(db, table, name, state);
    }
  }
}

async function listPartitioned(db: Db): Promise<Set<string>> {
  const rows = await db.run<{ name: string }>('platform/list_partitioned', { tables: TABLES });
  return new Set(rows.map(row => row.name));
}

function createPartition(db: Db, table: string, name: string, state: number): Promise<void> {
  return db.transaction(async tx => {
    await tx.run('platform/wait_in_transaction', { lock: LOCKS.partitions });
    if ((await tx.rowCount('platform/find_table', { table: name })) > 0) return;
    await tx.execute(
      `create table ${name} (like ${table} including defaults including constraints including generated including storage)`,
    );
    await tx.execute(
      `alter table ${table} attach partition ${name} for values from (${state * 1000}) to (${(state + 1) * 1000})`,
    );
  });
}
