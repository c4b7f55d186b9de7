import { expect } from 'vitest';
import type { Deal } from '../../api/v1/deals/deal-schema.ts';
import { uuidV5 } from '../../shared/model/uuid.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { posting, type TestApi } from './api.ts';
import type { TestDb } from './test-db.ts';
import { jobContext } from './workers.ts';

/** Runs the queued deal jobs as a worker would. @returns their names and keys */
export async function doDealJobs(pool: TestDb, env: Record<string, string> = {}): Promise<string[]> {
  const context = jobContext(pool, loadConfig({ LOG_LEVEL: 'silent', ...env }));
  const { rows } = await pool.query<{
    id: string;
    name: string;
    payload: { deal?: string; fips?: number };
  }>("select id, name, payload from jobs where name like 'deal.%' and status = 'queued' order by queued_at");
  for (const { id, name, payload } of rows) {
    await pool.query("update jobs set status = 'running' where id = $1", [id]);
    await allJobs.get(name)!.run(context, payload);
    await pool.query("update jobs set status = 'done' where id = $1", [id]);
  }
  return rows.map(({ name, payload }) => `${name} ${payload.deal ?? payload.fips ?? ''}`);
}

/** Sets the valuation of a sample parcel, so that the advice for it is predictable. */
export async function setValue(
  pool: TestDb,
  apn: string,
  [low, mean, high]: readonly [low: number, mean: number, high: number],
): Promise<void> {
  await pool.query(
    `update valuations set mean_adjusted_price = $2, low_price = $3, high_price = $4, out_of_support = false
     where property_id = (select property_id from parcels where fips = 33019 and apn = $1)`,
    [apn, mean, low, high],
  );
}

/** The id of a listing in the sample. */
export const listingId = (n: number) =>
  uuidV5(`listing:Generated sample (not real listings)\u0000GEN-${String(n).padStart(3, '0')}`);

const PATH = '/api/public/v1/deal-flow/listings/';

/** Makes calls to a deal board. */
export function dealCalls(api: TestApi) {
  const add = (key: string, body: object) => api.call(PATH, posting(key, JSON.stringify(body)));
  return {
    PATH,
    add,
    change: (key: string, id: string, body: object) =>
      api.call(`${PATH}${id}/`, { ...posting(key, JSON.stringify(body)), method: 'PATCH' }),
    list: async (key: string, query = '') => (await api.call(PATH + query, { key })).json as Deal[],
    async added(key: string, body: object): Promise<Deal> {
      const reply = await add(key, body);
      expect(reply.status, reply.text).toBe(201);
      return reply.json as Deal;
    },
  };
}
