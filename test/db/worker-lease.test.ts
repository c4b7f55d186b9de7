import { expect, onTestFinished, test } from 'vitest';
import { endsWithWorker } from '../../shared/platform/connection-pool.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { createLease } from '../../workers/queue/worker-lease.ts';
import { createTestDatabase } from '../support/database.ts';
import { openTestDb } from '../support/test-db.ts';
import { eventually } from '../support/workers.ts';

const db = await createTestDatabase();
const { pool } = db;
const log = createLogger(db.config, 'test');

/** A worker with a lease, and a session of its own that holds a lock. */
async function startWorker() {
  const lease = createLease(60_000, 6, log);
  const own = openTestDb(db.config, {
    applicationName: lease.applicationName,
    settings: endsWithWorker(db.config),
  });
  await lease.begin(own);
  const client = await own.connect();
  client.on('error', () => {});
  await client.query('select pg_advisory_lock(1)');
  onTestFinished(async () => {
    await lease.end(pool);
    client.release(true);
    await own.end();
  });
  return { lease, client };
}

const expire = (id: string) =>
  pool.query("update workers set alive_until = now() - interval '1 second' where id = $1", [id]);

const deaths = async () =>
  (await pool.query<{ total: number }>("select total from event_totals where name = 'worker_deaths'")).rows[0]
    ?.total ?? 0;

test('a worker without a heartbeat loses its sessions and their locks to the others, and counts once', async () => {
  const dead = await startWorker();
  const other = createLease(60_000, 6, log);
  await other.begin(pool);
  onTestFinished(() => other.end(pool));

  await other.endDeadWorkers(pool);
  expect((await dead.client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await expire(dead.lease.id);
  await other.endDeadWorkers(pool);
  await eventually(
    async () => (await pool.query<{ free: boolean }>('select pg_try_advisory_lock(1) as free')).rows[0]!.free,
  );
  await expect(dead.client.query('select 1')).rejects.toThrow();
  await other.endDeadWorkers(pool);
  expect(await deaths()).toBe(1);
});

test('a worker that was away itself ends nobody until it has been back for a while', async () => {
  const before = await deaths();
  const [first, other] = [createLease(60_000, 6, log), createLease(60_000, 6, log)];
  for (const lease of [first, other]) {
    await lease.begin(pool);
    onTestFinished(() => lease.end(pool));
  }
  // As after a restart of the database, which no lease outlasts.
  await expire(first.id);
  await expire(other.id);
  await other.endDeadWorkers(pool);
  expect(await deaths()).toBe(before);
  await other.endDeadWorkers(pool);
  expect(await deaths()).toBe(before + 1);
});

test("a worker's transaction ends after being idle for JOB_LOCK_MS", async () => {
  const own = openTestDb(db.config, {
    applicationName: 'plat test worker',
    settings: endsWithWorker({ JOB_LOCK_MS: 50 }),
  });
  const client = await own.connect();
  client.on('error', () => {});
  await client.query('begin');
  const { rows: pids } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await eventually(async () => {
    const { rowCount } = await pool.query('select from pg_stat_activity where pid = $1', [pids[0]!.pid]);
    return rowCount === 0;
  });
  await expect(client.query('commit')).rejects.toThrow();
  client.release(true);
  await own.end();
});
