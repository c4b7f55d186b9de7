import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { insertRegions, newCaller, startTestApi, whileLocked } from '../../support/api.ts';
import { apiProcesses } from '../../support/api-process.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { runCommand } from '../../support/plat.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { startApi } = apiProcesses(db);

/** What new sessions of the database may do; those that are open are closed. */
async function makeReadOnly(value: 'on' | 'off') {
  const client = await db.pool.connect();
  // The session that lifts it is read-only itself.
  await client.query('set default_transaction_read_only = off');
  await client.query(`alter database ${db.name} set default_transaction_read_only = ${value}`);
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  client.release(true);
}

test('a read-only database makes /readyz 503, and plat status says so', async () => {
  expect((await api.call('/readyz')).json).toEqual({ status: 'ready' });
  await makeReadOnly('on');
  try {
    await expect.poll(async () => (await api.call('/readyz')).status).toBe(503);
    const reply = await api.call('/readyz');
    expect((reply.json as ErrorReply).error).toMatchObject({
      code: 'internal_error',
      details: { database: ['read_only'] },
    });
    expect(reply.headers.get('retry-after')).toBe('5');
    const { out, err, code } = await runCommand({ DATABASE_URL: db.url }, ['status', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).server).toMatchObject({ read_only: true });
    expect(err).toContain('read-only');
  } finally {
    await makeReadOnly('off');
  }
  await expect.poll(async () => (await api.call('/readyz')).status).toBe(200);
});

test('a process with all connections in use, and one without a database, each say which it is', async () => {
  await insertRegions(db);
  const { key } = await newCaller(db);
  const busy = await startApi({ DB_POOL_SIZE: '2', STATEMENT_TIMEOUT_MS: '60000' });
  await whileLocked(db, ['lock table regions, region_stats in access exclusive mode'], async () => {
    const headers = { Authorization: `Bearer ${key}` };
    // Of different kinds: calls of one kind share a statement.
    const calls = [PATH, '/api/public/v1/regions/?q=Sullivan'].map(path =>
      fetch(busy.url + path, { headers }),
    );
    const over = Promise.allSettled(calls);
    await expect.poll(() => lockWaits(db)).toBe(2);
    const reply = await fetch(`${busy.url}/readyz`);
    expect([reply.status, ((await reply.json()) as ErrorReply).error.details]).toEqual([
      503,
      { database: ['no_connections'] },
    ]);
    await busy.kill();
    await over;
  });
  const url = new URL(db.url);
  url.port = '1';
  const lost = await startTestApi({ ...db, url: url.href });
  const { error } = (await lost.call('/readyz')).json as ErrorReply;
  expect(error.details).toEqual({ database: ['unreachable'] });
});

type ErrorReply = { error: { details: unknown } };

// A file system without a byte to write to, which Linux always has.
test.runIf(existsSync('/proc/self'))('a full disk is named, and the service stays ready', async () => {
  const full = await startTestApi(db, { env: { PLAT_DIR: '/proc' } });
  const reply = await full.call('/readyz');
  expect([reply.status, reply.json]).toEqual([
    200,
    { status: 'ready', full_disks: expect.arrayContaining(['PLAT_DIR', 'uploads']) },
  ]);
  const { out, err } = await runCommand({ DATABASE_URL: db.url, PLAT_DIR: '/proc' }, ['status', '--json']);
  const { disks } = JSON.parse(out);
  expect(disks).toContainEqual(
    expect.objectContaining({ path: '/proc', holds: ['PLAT_DIR', 'uploads'], full: true }),
  );
  expect(disks).toContainEqual(expect.objectContaining({ holds: ['database'], full: false }));
  expect(err).toContain('full');
});
