import type { Pool } from '../../shared/base/db.ts';
import { type BenchOptions, type BenchResult, withBenchDatabase } from './bench.ts';
import { COMPS_SEARCH } from './comps-search.ts';
import { storeListings } from './generate/listings.ts';
import { compareRates } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const COMPS = 1_000_000;
const QUICK_COMPS = 20_000;
const SEED = 7;

/** Comps within 50 km by price per acre, a page of 100 with its count, against a bare server that runs the same statement. */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async (url, pool) =>
    compareRates(options, url, {
      path: `/api/public/v1/comps/?${COMPS_SEARCH}`,
      ...{ key: await prepare(pool, options), connections: 10, least: 0.6 },
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
async function prepare(pool: Pool, { quick, note }: BenchOptions): Promise<string> {
  const count = quick ? QUICK_COMPS : COMPS;
  note(`seeding ${count} comps`);
  await storeListings(pool, { count, seed: SEED, asOf: new Date().toISOString().slice(0, 10) });
  return createCaller(pool, 'bench');
}
