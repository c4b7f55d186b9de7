import pg from 'pg';
import { loadConfig } from '../../shared/config.ts';
import { createPool } from '../../shared/db.ts';
import { createLogger } from '../../shared/log.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import { insertParcels } from '../support/parcels.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { MARKET_AS_OF, MARKET_FIPS, seedMarket } from './generate/market.ts';
import { alternate, withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const CONNECTIONS = 50;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const MIN_RATIO = 0.5;
const PROPERTY = MARKET_FIPS * 1e8 + 1;
const PATH = `/api/public/v1/properties/${PROPERTY}/ai-comp-value/`;

/**
 * Requests a second of a parcel's value with everything on (authentication, rate limit, validation, metering with a durable
 * commit) against a bare server that reads the same row by its primary key and sends it as JSON. Rounds alternate, so that a
 * slow minute of the machine hits both; medians count.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async url => {
    const key = await prepare(url);
    return withServers(url, ['bare-value', 'plat'], async servers => {
      const bytes = await look(servers.plat, key);
      const rounds = await alternate(servers, {
        ...{ path: PATH, keys: [key], connections: CONNECTIONS, seconds: SECONDS },
        ...{ rounds: options.quick ? 1 : ROUNDS, warmUpSeconds: WARM_UP_SECONDS },
      });
      const plat = median(rounds.plat.map(one => one.requests));
      const bare = median(rounds['bare-value'].map(one => one.requests));
      return judged(
        {
          name: `ai-comp-value endpoint at ${CONNECTIONS} connections, authenticated, limited, metered: requests a second`,
          reference: 'node:http and pg sending the same row by primary key',
          value: plat / bare,
          unit: 'x',
          details: {
            ...{ 'requests/s': Math.round(plat), 'reference requests/s': Math.round(bare) },
            'p99 ms': median(rounds.plat.map(one => one.p99)),
            'reference p99 ms': median(rounds['bare-value'].map(one => one.p99)),
            'response bytes': bytes,
            rounds: `${rounds.plat.length} of ${SECONDS} s each, alternating; medians`,
          },
        },
        { least: MIN_RATIO },
      );
    });
  });
}

/** What is measured must be there. */
async function look(url: string, key: string): Promise<number> {
  const response = await fetch(url + PATH, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The endpoint answers ${response.status}: ${text}`);
  return Buffer.byteLength(text);
}

/** A county's valuations, and an account that neither limit nor quota stops. */
async function prepare(url: string): Promise<string> {
  const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
  const pool = createPool(config, createLogger(config, 'bench'), { applicationName: 'plat bench', max: 2 });
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const at = { location: '(-1010000000,423000000)', acres: 5 };
    await insertParcels(pool, [{ property_id: PROPERTY, ...at }]);
    await seedMarket(client, { parcels: 2_000, comps: 2_000, seed: 6, firstSerial: 2 });
    await fitMarket(pool, { asOf: MARKET_AS_OF });
    await valueCounty(pool, MARKET_FIPS, { signal: new AbortController().signal });
    await client.query('vacuum analyze');
    return await createCaller(pool, 'bench');
  } finally {
    await client.end();
    await pool.end();
  }
}
