import { expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../support/api.ts';
import { startChild, work } from '../support/children.ts';
import { createTestDatabase } from '../support/database.ts';
import { exportFile, look, makeExports, order, periodOf } from '../support/exports.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const BODY = { filter: { county: '33019' }, format: 'csv', boundary: true };

test('a worker killed with -9 at any statement: the next one ends with the same bytes and bills once', async () => {
  const undisturbed = await exportFile(db, api, (await newCaller(db)).key, BODY);
  const wanted = undisturbed.parts.map(({ sha256 }) => sha256);
  const { key, accountId } = await newCaller(db);
  const { id } = await order(api, key, BODY);
  const { held } = await periodOf(db.pool, accountId);
  const orders = [3, 6, 9, 12, 14].map((dieAt, i) => ({
    job: 'export.make' as const,
    name: `child ${i}`,
    dieAt,
  }));
  const children = await Promise.all(orders.map(each => startChild(db.url, each)));
  for (const child of children) {
    expect(await work(child)).toBe('SIGKILL');
    const { state } = await look(api, key, id);
    // What was paid for is whole: the last statement may have reached the server.
    expect(await periodOf(db.pool, accountId)).toEqual(
      state === 'ready' ? { used: held, held: 0 } : { used: 0, held },
    );
    await db.pool.query('update jobs set deaths = 0');
  }
  await makeExports(db);
  const made = await look(api, key, id);
  expect(made).toMatchObject({ state: 'ready', tokens: undisturbed.rows, rows: undisturbed.rows });
  expect(made.parts.map(({ sha256 }) => sha256)).toEqual(wanted);
  expect(await usageOf(db, accountId)).toEqual({ tokens: made.tokens, calls: 1, daily: made.tokens });
});
