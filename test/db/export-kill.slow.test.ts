import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../support/api.ts';
import { apiProcesses } from '../support/api-process.ts';
import { startChild, work } from '../support/children.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  EXPORTS,
  type ExportJson,
  exportFile,
  look,
  makeExports,
  order,
  periodOf,
} from '../support/exports.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
/** Kills at random moments; a long run sets 20. */
const KILLS = Number(process.env.KILLS ?? 1);
const BODY = { filter: { county: '33019' }, format: 'csv', boundary: true };

test.each(['csv', 'gpkg', 'fgb'])(
  '%s, a worker killed with -9 at any statement: the next one produces the same bytes and bills once',
  async format => {
    const body = { ...BODY, format };
    const undisturbed = await exportFile(db, api, (await newCaller(db)).key, body);
    const wanted = undisturbed.parts.map(({ sha256 }) => sha256);
    const { key, accountId } = await newCaller(db);
    const { id } = await order(api, key, body);
    // A GeoPackage has the time of its order.
    await db.pool.query(
      'update exports set created_at = (select created_at from exports where id = $1) where id = $2',
      [undisturbed.id, id],
    );
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
  },
);

const { startApi } = apiProcesses(db);

test('API, worker and client killed at random moments: the same bytes, billed once', async () => {
  const wanted = await exportFile(db, api, (await newCaller(db)).key, BODY);
  for (let kill = 0; kill < KILLS; kill++) {
    const { key, accountId } = await newCaller(db);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const send = {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': `kill-${kill}` },
      body: JSON.stringify(BODY),
    };
    // The API dies while it takes the order; the client repeats it at another.
    const first = await startApi();
    const asked = fetch(first.url + EXPORTS, send).catch(() => undefined);
    await sleep(Math.random() * 150);
    await first.kill();
    await asked;
    const second = await startApi();
    const ordered = await fetch(second.url + EXPORTS, send);
    const { id } = (await ordered.json()) as ExportJson;
    expect(ordered.status, JSON.stringify(id)).toBe(202);
    // A worker dies while it makes the file, and the next one goes on.
    const child = await startChild(db.url, { job: 'export.make', name: `random ${kill}` });
    expect(['SIGKILL', null]).toContain(await work(child, Math.random() * 2_500));
    await db.pool.query('update jobs set deaths = 0');
    await makeExports(db);
    const made = await look(api, key, id);
    expect(made.parts.map(({ sha256 }) => sha256)).toEqual(wanted.parts.map(({ sha256 }) => sha256));
    // The client, and then the API, die while it is read; the rest comes by a range.
    const size = made.parts.reduce((sum, { bytes }) => sum + bytes, 0);
    const path = new URL(made.url!).pathname;
    const begun: Uint8Array[] = [];
    const reader = (await fetch(second.url + path)).body!.getReader();
    const most = Math.random() * size;
    for (let read = 0; read < most; ) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
      if (done) break;
      begun.push(value!);
      read += value!.length;
    }
    await second.kill();
    await reader.cancel().catch(() => {});
    const got = Buffer.concat(begun);
    const rest = await fetch(api.url + path, { headers: { Range: `bytes=${got.length}-` } });
    const tail = got.length === size ? Buffer.alloc(0) : Buffer.from(await rest.arrayBuffer());
    const undisturbed = Buffer.from(await (await fetch(wanted.url!)).arrayBuffer());
    expect(Buffer.concat([got, tail]).equals(undisturbed)).toBe(true);
    expect(await usageOf(db, accountId)).toMatchObject({ tokens: wanted.rows, daily: wanted.rows });
    expect((await periodOf(db.pool, accountId)).held).toBe(0);
  }
});
