import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { createAccount, createKey } from '../../shared/accounts.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { COMPS_SEARCH } from './comps-search.ts';
import { chunked } from './generate/chunks.ts';
import { LISTING_COPY_COLUMNS, listingCopyLines } from './generate/listings.ts';
import { alternate, withServers } from './load.ts';

const COMPS = 1_000_000;
const QUICK_COMPS = 20_000;
const SEED = 7;
const CONNECTIONS = 10;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const MIN_RATIO = 0.6;

/**
 * Requests a second of comps within 50 km, ordered by price per acre, a page of 100 with its count, with everything on
 * (authentication, rate limit, validation, metering with a durable commit) against a bare server that runs the same statement.
 * Rounds alternate, so that a slow minute of the machine hits both; medians count.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async url => {
    const key = await prepare(url, options);
    return withServers(url, ['bare-comps', 'plat'], async servers => {
      const { count, shown, bytes } = await look(servers.plat, key);
      const rounds = await alternate(servers, {
        ...{
          path: `/api/public/v1/comps/?${COMPS_SEARCH}`,
          keys: [key],
          connections: CONNECTIONS,
          seconds: SECONDS,
        },
        ...{ rounds: options.quick ? 1 : ROUNDS, warmUpSeconds: WARM_UP_SECONDS },
      });
      const plat = median(rounds.plat.map(one => one.requests));
      const bare = median(rounds['bare-comps'].map(one => one.requests));
      return judged(
        {
          name: `comps endpoint at ${CONNECTIONS} connections: 50 km, ordered by ppa, page of 100 with count: requests a second`,
          reference: 'node:http and pg running the same statement',
          value: plat / bare,
          unit: 'x',
          details: {
            ...{ 'requests/s': round1(plat), 'reference requests/s': round1(bare) },
            ...{ comps: options.quick ? QUICK_COMPS : COMPS, 'within 50 km': count, shown },
            ...{
              'response bytes': bytes,
              rounds: `${rounds.plat.length} of ${SECONDS} s each, alternating; medians`,
            },
          },
        },
        { least: MIN_RATIO },
      );
    });
  });
}

const round1 = (value: number) => Math.round(value * 10) / 10;

/** What is measured must be there. */
async function look(url: string, key: string): Promise<{ count: number; shown: number; bytes: number }> {
  const response = await fetch(`${url}/api/public/v1/comps/?${COMPS_SEARCH}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The endpoint answers ${response.status}: ${text}`);
  const { count, results } = JSON.parse(text) as { count: number; results: unknown[] };
  return { count, shown: results.length, bytes: Buffer.byteLength(text) };
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
    const account = await createAccount(pool, {
      ...{ name: 'bench', tier: 'scale', tokensIncluded: 1e15, ratePerMinute: 1e9, rateBurst: 1e9 },
    });
    return (await createKey(pool, account.id, { name: 'bench' })).key;
  } finally {
    await pool.end();
  }
}
