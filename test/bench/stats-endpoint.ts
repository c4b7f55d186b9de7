import { createAccount, createKey } from '../../shared/accounts/accounts.ts';
import { SCOPES } from '../../shared/accounts/tiers.ts';
import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import { METRIC_KEYS } from '../../shared/model/market-metrics.ts';
import { SULLIVAN } from '../support/regions.ts';
import type { TestDb } from '../support/test-db.ts';

export const STATS_PATH = '/api/public/v1/markets-stats/33019/stats/';

/**
 * Creates a county with every bucket and key filled, and accounts without a rate limit or quota.
 * @returns one key per account, and the size of the endpoint's response
 */
export async function prepareStats(
  pool: TestDb,
  accounts: number,
): Promise<{ keys: string[]; bytes: number }> {
  const bytes = await insertCounty(pool);
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push(await createCaller(pool, `bench ${n}`));
  return { keys, bytes };
}

async function insertCounty(pool: TestDb): Promise<number> {
  const stats = ACRE_BUCKETS.map(({ label }, bucket) => ({
    type: label,
    data: Object.fromEntries(
      METRIC_KEYS.map((name, index) => [name, (bucket * 7_919 + index * 104_729) / 100]),
    ),
  }));
  const body = Buffer.from(JSON.stringify({ ...SULLIVAN, stats }));
  await pool.query(
    "insert into regions (id, type, code, name, state, county_name, fips) values ($1, 'county', '33019', $2, 'NH', $2, 33019)",
    [SULLIVAN.id, SULLIVAN.name],
  );
  await pool.query("insert into region_stats (type, code, body, etag) values ('county', '33019', $1, $2)", [
    body,
    '"bench"',
  ]);
  return body.length;
}

/** A key for a new account without a rate limit or quota. */
export async function createCaller(pool: TestDb, name: string): Promise<string> {
  const account = await createAccount(pool, {
    name,
    tier: 'scale',
    tokensIncluded: 1e15,
    ratePerMinute: 1e9,
    rateBurst: 1e9,
  });
  return (await createKey(pool, account.id, { name: 'bench', scopes: [...SCOPES] })).key;
}
