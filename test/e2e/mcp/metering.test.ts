import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../../shared/accounts/tiers.ts';
import { insertRegions, newCaller, startTestApi, type TestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { STATS as PATH } from '../../support/spender.ts';
import { askTool, MCP_HEADERS, TRANSPORTS, type Transport, toolCall } from '../../support/tool-call.ts';

// What is charged over REST, over MCP and over both at once. Kills are in api/crash.slow.test.ts, histories
// in properties/metering.test.ts.

const db = await createTestDatabase();
const one = await startTestApi(db);
const two = await startTestApi(db);
beforeAll(() => insertRegions(db));

const TOOL: [string, object] = ['get_market_stats', { fips: '33019' }];
const ask = (way: Transport, api: TestApi, key: string): Promise<{ status: number; json: unknown }> =>
  way === 'rest' ? api.call(PATH, { key }) : askTool(api.url, key, TOOL);

test.each([...TRANSPORTS, 'both' as const])(
  '200 calls at once over two processes never use more than the account may: %s',
  async way => {
    // 77 calls fit into 775 tokens.
    const { key, accountId } = await newCaller(db, { tokensIncluded: 775 }, { scopes: [...SCOPES] });
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        ask(way === 'both' ? TRANSPORTS[index % 3 > 0 ? 1 : 0] : way, index % 2 ? one : two, key),
      ),
    );
    const served = replies.filter(reply => reply.status === 200);
    const refused = replies.filter(reply => reply.status === 402);
    expect([served.length, refused.length]).toEqual([77, 123]);
    for (const reply of refused)
      expect(reply.json).toMatchObject({ error: { code: 'usage_limit_exceeded' } });
    expect(await usageOf(db, accountId)).toEqual({ tokens: 770, calls: 77, daily: 770 });
  },
);

test.each(TRANSPORTS)('an account with an unpaid invoice is refused, and pays nothing: %s', async way => {
  const { key, accountId } = await newCaller(db, { invoicePaid: false }, { scopes: [...SCOPES] });
  const { status, json } = await ask(way, one, key);
  expect([status, json]).toMatchObject([402, { error: { code: 'payment_required' } }]);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test.each(TRANSPORTS)('a client that leaves before its response is ready is not charged: %s', async way => {
  const { key, accountId } = await newCaller(db, {}, { scopes: [...SCOPES] });
  await ask(way, one, key);
  const lock = await db.pool.connect();
  try {
    // The look-up of the statistics has to wait; meanwhile the client gives up.
    await lock.query('begin');
    await lock.query('lock table region_stats in access exclusive mode');
    const headers = { Authorization: `Bearer ${key}` };
    const gone =
      way === 'rest'
        ? request(one.url + PATH, { headers })
        : request(`${one.url}/mcp`, { method: 'POST', headers: { ...headers, ...MCP_HEADERS } });
    gone.on('error', () => {});
    gone.end(way === 'rest' ? undefined : JSON.stringify(toolCall(...TOOL)));
    await expect.poll(() => one.lifecycle.active).toBe(1);
    await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
    gone.destroy();
    await expect.poll(() => one.lifecycle.active).toBe(0);
  } finally {
    await lock.query('rollback');
    lock.release();
  }
  // The next call has to pass the same path, so the first one is over by then.
  await ask(way, one, key);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 20, calls: 2, daily: 20 });
});
