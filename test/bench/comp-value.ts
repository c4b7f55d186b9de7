import pg from 'pg';
import { valueCounty } from '../../workers/valuation/value-county.ts';
import { insertParcels } from '../support/parcels.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, withBenchDatabase } from './bench.ts';
import { MARKET_AS_OF, MARKET_FIPS, seedMarket } from './generate/market.ts';
import { compareRates } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const PROPERTY = MARKET_FIPS * 1e8 + 1;
const PATH = `/api/public/v1/properties/${PROPERTY}/ai-comp-value/`;

/**
 * Measures the parcel value endpoint, compared with a bare server that reads the same row by its primary key
 * and sends it as JSON.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async (url, pool) =>
    compareRates(options, url, {
      path: PATH,
      key: await prepare(url, pool),
      connections: 50,
      least: 0.5,
      name: 'ai-comp-value endpoint at 50 connections, authenticated, limited, metered',
      bare: 'bare-value',
      reference: 'node:http and pg sending the same row by primary key',
    }),
  );
}

/** Creates a county with valuations, and an account without a rate limit or quota. */
async function prepare(url: string, pool: TestDb): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const at = { location: '(-1010000000,423000000)', acres: 5 };
    await insertParcels(pool, [{ property_id: PROPERTY, ...at }]);
    await seedMarket(client, { parcels: 2_000, comps: 2_000, seed: 6, firstSerial: 2 });
    const { signal } = new AbortController();
    await valueCounty(pool, { fips: MARKET_FIPS, asOf: MARKET_AS_OF }, { signal });
    await client.query('vacuum analyze');
    return await createCaller(pool, 'bench');
  } finally {
    await client.end();
  }
}
