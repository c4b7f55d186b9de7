import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { PlatError } from '../../shared/platform/errors.ts';
import type { TestDb } from '../support/test-db.ts';
import { timed } from './bench.ts';

/** The tables that an ingestion writes parcels to, and the order in which their rows are copied. */
const ORDERS = {
  parcels: 'property_id',
  parcel_filters: 'property_id',
  owner_parcels: 'property_id',
  owner_words: 'fips, word',
  situs_words: 'fips, word',
} as const;
const TABLES = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

const fileOf = (folder: string, table: string) => join(folder, `${table}.copy`);

/** Writes the finished rows to files in the order they were stored. @returns number of bytes */
export async function exportRows(pool: TestDb, folder: string): Promise<number> {
  let bytes = 0;
  for (const table of TABLES) {
    const columns = await storedColumns(pool, table);
    const client = await pool.connect();
    try {
      const stream = client.query(
        copyTo(`copy (select ${columns} from ${table} order by ${ORDERS[table]}) to stdout`),
      );
      await pipeline(stream, createWriteStream(fileOf(folder, table)));
    } finally {
      client.release();
    }
    bytes += statSync(fileOf(folder, table)).size;
  }
  return bytes;
}

/**
 * The reference: COPY of those files into empty tables with the same columns and indexes. The tables are
 * created in earlier transactions, so that COPY logs its rows to the WAL as usual.
 * @returns milliseconds for the COPYs alone
 */
export async function copyRows(pool: TestDb, folder: string, parcels: number): Promise<number> {
  for (const table of TABLES) await pool.query(`create table bench_${table} (like ${table} including all)`);
  await expectSameIndexes(pool);
  const columns = await Promise.all(TABLES.map(table => storedColumns(pool, table)));
  await pool.query('checkpoint');
  const client = await pool.connect();
  try {
    const ms = await timed(async () => {
      for (const [i, table] of TABLES.entries()) {
        const file = createReadStream(fileOf(folder, table), { highWaterMark: 1 << 18 });
        await pipeline(file, client.query(copyFrom(`copy bench_${table} (${columns[i]}) from stdin`)));
      }
    });
    const { rows } = await client.query<{ count: number }>('select count(*)::int from bench_parcels');
    if (rows[0]!.count !== parcels)
      throw new PlatError('bench', `COPY wrote ${rows[0]!.count} of ${parcels} rows.`);
    return ms;
  } finally {
    client.release();
  }
}

/** All stored columns, except generated ones. */
async function storedColumns(pool: TestDb, table: string): Promise<string> {
  const { rows } = await pool.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]!.columns;
}

async function expectSameIndexes(pool: TestDb): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await pool.query<{ indexes: number }>(
      'select count(*)::int as indexes from pg_index where indrelid in ($1::regclass, $2::regclass) group by indrelid',
      [table, `bench_${table}`],
    );
    if (rows.length !== 2 || rows[0]!.indexes !== rows[1]!.indexes) {
      throw new PlatError('bench', `The reference of ${table} has other indexes: ${JSON.stringify(rows)}.`);
    }
  }
}
