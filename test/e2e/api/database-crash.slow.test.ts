import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/platform/config.ts';
import { migrate } from '../../../shared/platform/migrate.ts';
import { insertRegions, newCaller, startTestApi, usageOf } from '../../support/api.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startTestServer } from '../../support/server.ts';
import { STATS } from '../../support/spender.ts';
import { openTestDb } from '../../support/test-db.ts';
import { eventually } from '../../support/workers.ts';

// A server of its own, which dies.
const server = await startTestServer();
const config = loadConfig({ LOG_LEVEL: 'silent', DATABASE_URL: server.url });
const pool = openTestDb(config, { applicationName: 'plat test' });
const { url, folder } = server;
const db: TestDatabase = { name: 'plat', url, folder, pool, config };
await migrate(server.url);

afterAll(async () => {
  await pool.end();
  await server.stop();
  rmSync(server.folder, { recursive: true });
});

const AT_ONCE = 100;

test('when PostgreSQL dies, every response has its charge, and only calls in flight may be charged without a response', {
  timeout: 300_000,
}, async () => {
  await insertRegions(db);
  const { key, accountId } = await newCaller(db, { ratePerMinute: 1e6, rateBurst: 1e6 });
  const api = await startTestApi(db);
  let answered = 0;
  let refused = 0;
  let last = Number.POSITIVE_INFINITY;
  const caller = async () => {
    while (answered < last) {
      const { status, headers } = await api.call(STATS, { key });
      if (status === 200) {
        expect(headers.get('x-tokens-used')).toBe('10');
        answered++;
      } else {
        expect([status, headers.get('x-tokens-used')]).toEqual([503, '0']);
        refused++;
        await sleep(20);
      }
    }
  };
  const callers = Promise.all(Array.from({ length: AT_ONCE }, caller));
  await eventually(async () => answered > 1_000);
  server.kill();
  await eventually(async () => refused > 0);
  await eventually(() => server.revive());
  last = answered + 1_000;
  await callers;
  await api.stop();

  const { tokens, calls, daily } = await usageOf(db, accountId);
  expect([tokens, daily]).toEqual([calls * 10, calls * 10]);
  expect(calls).toBeGreaterThanOrEqual(answered);
  expect(calls).toBeLessThanOrEqual(answered + AT_ONCE);
});
