import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { type BenchOptions, type BenchResult, withBenchDatabase } from './bench.ts';
import { COMPS_SEARCH } from './comps-search.ts';
import { chunked } from './generate/chunks.ts';
import { LISTING_COPY_COLUMNS, listingCopyLines } from './generate/listings.ts';
import { compareRates } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const COMPS = 1_000_000;
const QUICK_COMPS = 20_000;
const SEED = 7;

/** Comps within 50 km by price per acre, a page of 100 with its count, against a bare server that runs the same statement. */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async url =>
    compareRates(options, url, {
      path: `/api/public/v1/comps/?${COMPS_SEARCH}`,
      ...{ key: await prepare(url, options), connections: 10, least: 0.6 },
      name: 'comps endpoint at 10 connections: 50 km, ordered by ppa, page of 100 with count',
      bare: 'bare-comps',
      reference: 'node:http and pg running the same statement',
      describe: body => {
        const { count, results } = JSON.parse(body) as { count: number; results: unknown[] };
        return {
          ...{ comps: options.quick ? QUICK_COMPS : COMPS, 'within 50 km': count, shown: results.length },
        };
      },
    }),
  );
}

/** The comps, and an account that neither limit nor quota stops. */
async function prepare(url: string, { quick, note }: BenchOptions): Promise<string> {
  const count = quick ? QUICK_COMPS : COMPS;
  note(`seeding ${count} comps`);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const { rows } = await pool.query<{ id: number }>(
      "insert into feeds (name, kind, definition) values ('generated', 'listings', '{}') returning id",
    );
    const client = await pool.connect();
    try {
      const asOf = new Date().toISOString().slice(0, 10);
      const lines = listingCopyLines({ count, seed: SEED, asOf }, { feedId: rows[0]!.id, runId: 1 });
      await pipeline(
        Readable.from(chunked(lines)),
        client.query(copyStreams.from(`copy listings (${LISTING_COPY_COLUMNS.join(', ')}) from stdin`)),
      );
      await client.query('vacuum analyze listings');
      await client.query('checkpoint');
    } finally {
      client.release();
    }
    return await createCaller(pool, 'bench');
  } finally {
    await pool.end();
  }
}
