import { describe, expect, test } from 'vitest';
import { PlatError } from '../../shared/platform/errors.ts';
import {
  cancelJob,
  deliver,
  describeJob,
  enqueue,
  enqueueAndNotify,
  getJob,
  type JobDefinition,
  retryJob,
  waitForJob,
} from '../../shared/platform/queue/jobs.ts';
import { openQueues } from '../../shared/platform/queue/queue.ts';
import { statement } from '../../shared/platform/statements.ts';
import type { Jobs } from '../../workers/queue/job.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  BACKENDS,
  eventually,
  jobsOf,
  loseQueues,
  openTestBackend,
  startTestWorker,
  testJob,
  workerConfig,
} from '../support/workers.ts';

const db = await createTestDatabase();
const { pool } = db;

describe.each(BACKENDS)('jobs on $kind', ({ kind }) => {
  /** A queue of the test's own, and a worker for it when it is asked for. */
  function setUp(jobs: Jobs) {
    const config = workerConfig(db, kind);
    const queues = openQueues(openTestBackend(config));
    const deliverer = { queues, jobs };
    return {
      config,
      queues,
      deliver: (ids?: string[]) => deliver(pool, deliverer, ids),
      start: () => startTestWorker(config, jobs),
      async send(definition: JobDefinition<{ text: string }>, text: string) {
        const { id } = await enqueue(pool, definition, { text });
        await deliver(pool, deliverer, [id]);
        return id;
      },
    };
  }
  const totalsOf = async (name: string) => {
    const { rows } = await pool.query(
      'select outcome, jobs, rows from job_totals where name = $1 order by 1',
      [name],
    );
    return rows;
  };
  /** As old as what the sweep looks for. */
  const age = (id: string) =>
    pool.query("update jobs set queued_at = queued_at - interval '10 seconds' where id = $1", [id]);

  test('a delivered job runs; its progress, result, and totals are visible', async () => {
    const definition = testJob(`${kind}.seen`);
    let go = () => {};
    const gate = new Promise<void>(resolve => {
      go = resolve;
    });
    const { start, send } = setUp(
      jobsOf([
        definition,
        async ({ progress }, { text }) => {
          progress(0.5, `half of ${text}`);
          await gate;
          return { rows: 3, text };
        },
      ]),
    );
    await start();
    const id = await send(definition, 'work');
    const half = await eventually(async () => {
      const state = await getJob(pool, id);
      return state.progress > 0 && state;
    });
    expect(half).toMatchObject({ status: 'running', progress: 0.5, note: 'half of work', attempts: 1 });
    go();
    const seen: string[] = [];
    const state = await waitForJob(pool, id, { onState: ({ status }) => seen.push(status) });
    expect(state).toMatchObject({
      status: 'done',
      progress: 1,
      note: null,
      result: { rows: 3, text: 'work' },
      error: null,
    });
    expect(seen.at(-1)).toBe('done');
    expect(await totalsOf(definition.name)).toEqual([{ outcome: 'done', jobs: 1, rows: 3 }]);
  });

  test('a job that is delivered twice runs once', async () => {
    const definition = testJob(`${kind}.twice`);
    let runs = 0;
    const { start, send, deliver, queues } = setUp(
      jobsOf([
        definition,
        async () => {
          runs++;
          return { rows: 0 };
        },
      ]),
    );
    const id = await send(definition, 'a');
    await deliver([id]);
    await start();
    await waitForJob(pool, id);
    // Once more after it has ended, under an id that the queue does not know.
    const again = await queues.ingest.add(definition.name, { id });
    await eventually(() =>
      queues.ingest.getJob(again.id!).then(async found => !found || (await found.isCompleted())),
    );
    expect(runs).toBe(1);
    expect(await getJob(pool, id)).toMatchObject({ status: 'done', attempts: 1 });
  });

  test('jobs left behind by a crash between commit and delivery are found when a worker starts', async () => {
    const definition = testJob(`${kind}.left`);
    const { start } = setUp(jobsOf([definition, async () => ({ rows: 0 })]));
    const { id } = await enqueue(pool, definition, { text: 'left' });
    await age(id);
    await start();
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', attempts: 1 });
  });

  test('an announced job starts with its commit, without the sweep', async () => {
    const definition = testJob(`${kind}.announced`);
    const { start } = setUp(jobsOf([definition, async () => ({ rows: 0 })]));
    await start();
    await eventually(async () => {
      const listening =
        "select 1 from pg_stat_activity where datname = current_database() and query like 'listen plat_jobs%'";
      return (await pool.query(listening)).rows.length > 0;
    });
    await pool.transaction(async client => {
      await enqueueAndNotify(client, definition, { text: 'now' });
      // Never old enough for the sweep.
      await client.query("update jobs set queued_at = now() + interval '1 hour' where name = $1", [
        definition.name,
      ]);
    });
    const { rows } = await pool.query<{ id: string }>('select id from jobs where name = $1', [
      definition.name,
    ]);
    expect(await waitForJob(pool, rows[0]!.id)).toMatchObject({ status: 'done' });
  });

  test('after the queue is lost, the sweep redelivers its jobs, including started ones', async () => {
    const definition = testJob(`${kind}.lost`);
    const { start, send, deliver, config } = setUp(jobsOf([definition, async () => ({ rows: 0 })]));
    const ids = [await send(definition, 'waiting'), await send(definition, 'begun')];
    await pool.query(statement('queue/start_job', { id: ids[1], worker: 'a test' }));
    await Promise.all(ids.map(age));
    expect(await deliver()).toBe(0);
    await loseQueues(db, config);
    expect(await deliver()).toBe(2);
    await start();
    for (const id of ids) expect(await waitForJob(pool, id)).toMatchObject({ status: 'done' });
  });

  test('a temporary error is retried', async () => {
    const definition = testJob(`${kind}.passing`, { attempts: 4, backoffMs: 200 });
    const { start, send } = setUp(
      jobsOf([
        definition,
        async ({ attempt }) => {
          if (attempt < 3) throw new PlatError('busy', 'not yet', { retryable: true });
          return { rows: 1 };
        },
      ]),
    );
    await start();
    const id = await send(definition, 'a');
    const waiting = await eventually(async () => {
      const state = await getJob(pool, id);
      return state.error !== null && state;
    });
    expect(waiting).toMatchObject({
      status: 'running',
      error_code: 'busy',
      error: 'not yet',
      finished_at: null,
    });
    expect(describeJob(waiting, waiting.next_at!.getTime() - 29_500)).toBe(
      'attempt 2 of 4, next in 30 s: not yet',
    );
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', attempts: 3, error: null });
    expect(await totalsOf(definition.name)).toEqual([
      { outcome: 'done', jobs: 1, rows: 1 },
      { outcome: 'retried', jobs: 2, rows: 0 },
    ]);
  });

  test('the last attempt fails the job; a permanent error fails it at once', async () => {
    const passing = testJob(`${kind}.worn`, { attempts: 2, backoffMs: 20 });
    const lasting = testJob(`${kind}.wrong`);
    const { start, send } = setUp(
      jobsOf(
        // As a parser quotes the bytes of a damaged file.
        [passing, async () => Promise.reject(new PlatError('busy', '\0 and \ud800', { retryable: true }))],
        [lasting, async () => Promise.reject(new PlatError('bad_file', 'Row 7 is no row.'))],
      ),
    );
    await start();
    const [worn, wrong] = [await send(passing, 'a'), await send(lasting, 'a')];
    expect(await waitForJob(pool, worn)).toMatchObject({
      status: 'failed',
      attempts: 2,
      error_code: 'busy',
      error: '\ufffd and \ufffd',
    });
    expect(await waitForJob(pool, wrong)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error_code: 'bad_file',
      error: 'Row 7 is no row.',
    });
  });

  test('an unknown job, and one with an invalid payload, fail with the reason', async () => {
    const known = testJob(`${kind}.known`);
    const { start, send, queues } = setUp(jobsOf([known, async () => ({ rows: 0 })]));
    await start();
    const unknown = await enqueue(pool, testJob(`${kind}.unknown`), { text: 'a' });
    await queues.ingest.add('unknown', { id: unknown.id });
    expect(await waitForJob(pool, unknown.id)).toMatchObject({
      status: 'failed',
      error_code: 'registry',
      error: expect.stringContaining('worker'),
    });
    const loose = {
      ...known,
      payload: { parse: (input: unknown) => input as { text: string } },
      key: () => 'x',
    };
    const misfit = await send(loose, 7 as unknown as string);
    expect(await waitForJob(pool, misfit)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error_code: 'payload',
      error: expect.stringContaining('expected string'),
    });
  });

  test('a worker that stops returns its job: the next one starts it at once and no attempt is lost', async () => {
    const definition = testJob(`${kind}.handed`, { attempts: 1 });
    const { start, send } = setUp(
      jobsOf([
        definition,
        async ({ attempt, signal }) => {
          if (attempt === 1) {
            if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
            signal.throwIfAborted();
          }
          return { rows: attempt };
        },
      ]),
    );
    const first = await start();
    const id = await send(definition, 'a');
    await eventually(async () => (await getJob(pool, id)).status === 'running');
    await first.stop();
    expect(await getJob(pool, id)).toMatchObject({
      status: 'running',
      note: expect.stringContaining('waiting'),
    });
    await start();
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', result: { rows: 2 } });
  });

  test('a job that crashed five workers is given up, with the reason', async () => {
    const definition = testJob(`${kind}.killer`);
    const { start, send } = setUp(jobsOf([definition, async () => ({ rows: 0 })]));
    const [fourth, fifth] = [await send(definition, 'a'), await send(definition, 'b')];
    const dies = (id: string, deaths: number) =>
      pool.query(
        "update jobs set status = 'running', worker = 'process 7 on away', deaths = $2 where id = $1",
        [id, deaths],
      );
    await dies(fourth, 3);
    await dies(fifth, 4);
    await start();
    expect(await waitForJob(pool, fourth)).toMatchObject({ status: 'done', deaths: 4 });
    expect(await waitForJob(pool, fifth)).toMatchObject({
      status: 'failed',
      error_code: 'abandoned',
      deaths: 5,
      error: expect.stringMatching(/\b5 .*\bprocess 7 on away\b/),
    });
  });

  test('a job is canceled while it waits and while it runs, and runs again on request', async () => {
    const definition = testJob(`${kind}.cancelled`);
    let runs = 0;
    const { start, send, deliver } = setUp(
      jobsOf([
        definition,
        async ({ signal }) => {
          if (++runs === 1) await new Promise((_, reject) => signal.addEventListener('abort', reject));
          return { rows: 0 };
        },
      ]),
    );
    const waiting = await send(definition, 'waiting');
    expect(await cancelJob(pool, waiting, 'ana@host')).toEqual({ id: waiting, running: false });
    const id = await send(definition, 'running');
    await start();
    await eventually(async () => (await getJob(pool, id)).status === 'running');
    await expect(retryJob(pool, id)).rejects.toMatchObject({ code: 'job_open' });
    expect(await cancelJob(pool, id, 'ana@host')).toEqual({ id, running: true });
    for (const each of [waiting, id])
      expect(await waitForJob(pool, each)).toMatchObject({
        status: 'failed',
        error_code: 'cancelled',
        error: 'Cancelled by ana@host.',
      });
    await expect(cancelJob(pool, id, 'ana@host')).rejects.toMatchObject({ code: 'job_ended' });
    const again = await retryJob(pool, id.slice(0, 13));
    await deliver([again.id]);
    expect(await waitForJob(pool, again.id)).toMatchObject({ status: 'done', key: 'running' });
    expect(runs).toBe(2);
  });

  test('a job that finds the disk full waits for space while its worker pauses, and loses no attempt', async () => {
    const definition = testJob(`${kind}.full`, { attempts: 1 });
    let isFull = true;
    const { start, send } = setUp(
      jobsOf([
        definition,
        async () => {
          if (isFull) throw Object.assign(new Error('could not extend file'), { code: '53100' });
          return { rows: 0 };
        },
      ]),
    );
    await start();
    const id = await send(definition, 'a');
    await eventually(async () => /\bdisk\b/.test((await getJob(pool, id)).note ?? ''));
    isFull = false;
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', deaths: 0 });
  });
});
