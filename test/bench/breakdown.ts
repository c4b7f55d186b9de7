import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import type { Pool } from '../../shared/base/db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { withServers } from './load.ts';
import { createCaller } from './stats-endpoint.ts';

const PATH = '/api/public/v1/usage/breakdown/';
const [DAYS, ENDPOINTS, MODES] = [365, 10, 2];
const CALLS = 100;
const WARM_UP_CALLS = 20;
const MAX_MS = 20;

/** One call after another to the breakdown of a year in which every endpoint was used every day in both modes. */
export function bench(options: BenchOptions): Promise<BenchResult> {
  return withBenchDatabase(options, async (url, pool) => {
    const key = await prepare(pool);
    return withServers(url, ['plat'], async ({ plat }) => {
      const agent = new Agent({ keepAlive: true });
      let bytes = 0;
      const call = async () => {
        const body = await read(plat + PATH, key, agent);
        bytes = body.length;
        return body;
      };
      const { records } = JSON.parse(await call()) as { records: unknown[] };
      if (records.length !== DAYS * ENDPOINTS * MODES)
        throw new Error(`There are ${records.length} records.`);
      for (let n = 0; n < WARM_UP_CALLS; n++) await call();
      const times: number[] = [];
      for (let n = 0; n < (options.quick ? 10 : CALLS); n++) times.push(await timed(call));
      agent.destroy();
      times.sort((a, b) => a - b);
      return judged(
        {
          name: `usage breakdown of a year: ${DAYS} days, ${ENDPOINTS} endpoints, ${MODES} modes: ${records.length} records`,
          reference: '',
          value: median(times),
          unit: 'ms',
          details: {
            ...{ 'slowest ms': times.at(-1)!.toFixed(1), 'fastest ms': times[0]!.toFixed(1) },
            ...{ calls: times.length, 'response bytes': bytes },
          },
        },
        { most: MAX_MS },
      );
    });
  });
}

/** A period of a year: `plat account set --period-start --period-end` makes such ones. Other accounts have their records too. */
async function prepare(pool: Pool): Promise<string> {
  const key = await createCaller(pool, 'heavy');
  for (let n = 0; n < 10; n++) await createCaller(pool, `other ${n}`);
  const day = 86_400_000;
  const periodStart = new Date(Date.now() - (DAYS - 1) * day);
  await changeAccount(pool, 'heavy', { periodStart, periodEnd: new Date(Date.now() + day) });
  await pool.query(
    `insert into usage_daily (account_id, period_start, day, endpoint, mode, tokens, calls)
       select a.id, a.period_start, $1::date + d, 'public_endpoint_' || e, m, 12345, 678
       from accounts a, generate_series(0, $2 - 1) d, generate_series(1, $3) e, unnest('{direct,mcp}'::text[]) m`,
    [periodStart, DAYS, ENDPOINTS],
  );
  await pool.query('vacuum analyze usage_daily');
  return key;
}

export function read(url: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { Authorization: `Bearer ${key}` } }, response => {
      text(response).then(body => {
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`The endpoint answers ${response.statusCode}: ${body}`));
      }, reject);
    }).on('error', reject);
  });
}
