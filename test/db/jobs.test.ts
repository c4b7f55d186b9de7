import { describe, expect, test } from 'vitest';
import { enqueue, getJob } from '../../shared/platform/queue/jobs.ts';
import { statement } from '../../shared/platform/statements.ts';
import { recomputeMarketJob } from '../../workers/market/recompute-market-job.ts';
import { jobsByName } from '../../workers/queue/job.ts';
import { createTestDatabase, lockWaits } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';
import { testJob } from '../support/workers.ts';

const db = await createTestDatabase();
const { pool } = db;

describe('the outbox', () => {
  const sample = testJob('outbox');
  const add = (text: string) => enqueue(pool, sample, { text });
  const begin = (id: string) => pool.query(statement('queue/start_job', { id, worker: 'a test' }));

  test('a job exists exactly if the transaction that enqueued it was committed', async () => {
    const undone = pool.transaction(async client => {
      await enqueue(client, sample, { text: 'undone' });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await pool.transaction(client => enqueue(client, sample, { text: 'kept' }));
    const { rows } = await pool.query("select key from jobs where name = 'outbox'");
    expect(rows).toEqual([{ key: 'kept' }]);
  });

  test('a waiting job with the same key stands in for the new one; beside a running one another waits', async () => {
    const first = await add('same');
    expect(await add('same')).toEqual({ id: first.id, added: false });
    await begin(first.id);
    const second = await add('same');
    expect(second.added).toBe(true);
    expect(await add('same')).toEqual({ id: second.id, added: false });
  });

  test('a waiting job starts only after the work that relies on it is visible', async () => {
    const { id } = await add('wake');
    const order: string[] = [];
    let begun: Promise<unknown> = Promise.resolve();
    await pool.transaction(async client => {
      expect(await enqueue(client, sample, { text: 'wake' })).toEqual({ id, added: false });
      begun = begin(id).then(() => order.push('begun'));
      await expect.poll(() => lockWaits({ pool })).toBe(1);
      order.push('committing');
    });
    await begun;
    expect(order).toEqual(['committing', 'begun']);
  });

  test('many at once with one key leave one job', async () => {
    const added = await Promise.all(Array.from({ length: 20 }, () => add('crowd')));
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(one => one.added)).toHaveLength(1);
  });

  test('an invalid payload is refused before it is written', async () => {
    const wrong = { text: 7 } as unknown as { text: string };
    await expect(enqueue(pool, sample, wrong)).rejects.toThrow('expected string');
  });

  test('a missing job is reported as unknown', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    await expect(getJob(pool, id)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(id),
    });
  });
});

test('totals count jobs, seconds, and rows, and how many took at most 0.1, 1, 10, 60, 600 seconds', async () => {
  const timed = testJob('timed');
  for (const seconds of [0.05, 0.5, 5, 30, 300, 3000]) {
    const { id } = await enqueue(pool, timed, { text: String(seconds) });
    await pool.query(statement('queue/start_job', { id, worker: 'a test' }));
    const end = statement('queue/finish_job', {
      id,
      outcome: 'done',
      result: '{}',
      error_code: null,
      error: null,
      seconds,
      rows: 10,
      note: null,
      retry_seconds: null,
      attempt: 1,
    });
    await pool.query(end);
    // The end is written once, whoever says it again.
    await pool.query(end);
  }
  const { rows } = await pool.query(
    "select name, outcome, jobs, seconds, rows, le::int[] from job_totals where name = 'timed'",
  );
  expect(rows).toEqual([
    { name: 'timed', outcome: 'done', jobs: 6, seconds: 3335.55, rows: 60, le: [1, 2, 3, 4, 5, 6] },
  ]);
});

test('an attempt that another worker has taken over ends nothing', async () => {
  const { id } = await enqueue(pool, testJob('followed'), { text: 'one' });
  for (const worker of ['cut off', 'follower'])
    await pool.query(statement('queue/start_job', { id, worker }));
  const end = (outcome: string, attempt: number) =>
    pool.query(
      statement('queue/finish_job', {
        id,
        outcome,
        result: '{}',
        error_code: null,
        error: null,
        seconds: 1,
        rows: 0,
        note: null,
        retry_seconds: null,
        attempt,
      }),
    );
  await end('failed', 1);
  await pool.query(statement('queue/give_back_job', { id, why: 'stopped', attempt: 1 }));
  expect(await getJob(pool, id)).toMatchObject({ status: 'running', deaths: 1, note: expect.any(String) });
  expect((await pool.query(statement('queue/is_running', { id, attempt: 1 }))).rowCount).toBe(0);
  await end('done', 2);
  expect((await getJob(pool, id)).status).toBe('done');
});

test('two jobs of one name are refused', () => {
  const job = { ...testJob('one'), run: async () => ({ rows: 0 }) };
  expect(() => jobsByName([job, { ...job }])).toThrow(/\bjobs .*\bone\b/);
});

test('plat jobs lists, cancels, and retries', async () => {
  const { json, plat, refused } = commandsOn(db);
  await pool.query('delete from jobs');
  const { id } = await enqueue(pool, recomputeMarketJob, { scope: { fips: 33_019 } });
  expect((await plat('jobs')).out).toMatch(
    new RegExp(`${id.slice(0, 8)} +market.recompute +county:33019 +queued`),
  );
  expect((await plat('jobs', 'cancel', id.slice(0, 8))).out).toContain(id);
  await refused(['jobs', 'cancel', id], 'failed');
  expect(await json('jobs', '--status', 'failed')).toMatchObject([
    { id, error_code: 'cancelled', error: expect.any(String) },
  ]);
  const again = await json('jobs', 'retry', id.slice(0, 8));
  expect(await json('jobs', 'list', '--status', 'queued')).toMatchObject([
    { id: again.id, key: 'county:33019' },
  ]);
  await refused(['jobs', 'retry', again.id], again.id);
  await refused(['jobs', 'retry', 'ffffffff'], 'ffffffff');
});
