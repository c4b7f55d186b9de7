import { describe, expect, test } from 'vitest';
import { sql, transaction } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { deliver, enqueue, getJob, type JobDefinition, waitForJob } from '../../shared/jobs.ts';
import { openQueues } from '../../shared/queue.ts';
import { buildRegistry, definitionsOf, job, type Registry } from '../../workers/runner/registry.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  BACKENDS,
  eventually,
  loseQueues,
  openTestBackend,
  registryOf,
  startTestWorker,
  testJob,
  workerConfig,
} from '../support/workers.ts';

const db = await createTestDatabase();
const { pool } = db;

describe('the outbox', () => {
  const sample = testJob('outbox');
  const add = (text: string) => enqueue(pool, sample, { text });
  const begin = (id: string) => pool.query(sql('jobs/start_job'), [id]);

  test('a job exists exactly when the transaction that asked for it was committed', async () => {
    const undone = transaction(pool, async client => {
      await enqueue(client, sample, { text: 'undone' });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await transaction(pool, client => enqueue(client, sample, { text: 'kept' }));
    const { rows } = await pool.query("select key from jobs where name = 'outbox'");
    expect(rows).toEqual([{ key: 'kept' }]);
  });

  test('a waiting job of the same key stands for the new one; beside a running one another waits', async () => {
    const first = await add('same');
    expect(await add('same')).toEqual({ id: first.id, added: false });
    await begin(first.id);
    const second = await add('same');
    expect(second.added).toBe(true);
    expect(await add('same')).toEqual({ id: second.id, added: false });
  });

  test('a waiting job begins only after the work that counts on it is visible', async () => {
    const { id } = await add('wake');
    const order: string[] = [];
    let begun: Promise<unknown> = Promise.resolve();
    await transaction(pool, async client => {
      expect(await enqueue(client, sample, { text: 'wake' })).toEqual({ id, added: false });
      begun = begin(id).then(() => order.push('begun'));
      await client.query('select pg_sleep(0.2)');
      order.push('committing');
    });
    await begun;
    expect(order).toEqual(['committing', 'begun']);
  });

  test('many at once of one key leave one job', async () => {
    const added = await Promise.all(Array.from({ length: 20 }, () => add('crowd')));
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(one => one.added)).toHaveLength(1);
  });

  test('a payload that does not fit is refused before it is written', async () => {
    const wrong = { text: 7 } as unknown as { text: string };
    await expect(enqueue(pool, sample, wrong)).rejects.toThrow('expected string');
  });

  test('a job that is not there is said to be unknown', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    await expect(getJob(pool, id)).rejects.toThrow(`There is no job ${id}.`);
  });
});

test('totals count jobs, seconds and rows, and how many took at most 0.1, 1, 10, 60, 600 seconds', async () => {
  const timed = testJob('timed');
  for (const seconds of [0.05, 0.5, 5, 30, 300, 3000]) {
    const { id } = await enqueue(pool, timed, { text: String(seconds) });
    await pool.query(sql('jobs/start_job'), [id]);
    const end = [id, 'done', '{}', null, null, seconds, 10];
    await pool.query(sql('jobs/finish_job'), end);
    // The end is written once, whoever says it again.
    await pool.query(sql('jobs/finish_job'), end);
  }
  const { rows } = await pool.query(
    "select name, outcome, jobs, seconds, rows, le::int[] from job_totals where name = 'timed'",
  );
  expect(rows).toEqual([
    { name: 'timed', outcome: 'done', jobs: 6, seconds: 3335.55, rows: 60, le: [1, 2, 3, 4, 5, 6] },
  ]);
});

describe('the registry', () => {
  const one = testJob('one');
  const entry = job(one, async () => ({ rows: 0 }));

  test.each([
    ['two handlers', [one], [entry, entry], 'Job one has two handlers.'],
    ['no handler', [one, testJob('two')], [entry], 'Job two has no handler.'],
    ['no definition', [], [entry], 'Job one has a handler, but is not in workers/definitions.ts.'],
    ['two definitions', [one, one], [entry], 'Two jobs are named one.'],
  ])('boot fails for a job with %s', (_, definitions, jobs, message) => {
    expect(() => buildRegistry(definitions, jobs)).toThrow(message);
  });

  test('the program has one for every job', async () => {
    const { registry } = await import('../../workers/jobs.ts');
    expect([...registry.keys()]).toEqual([
      'ingest.run',
      'attributes.plan',
      'attributes.chunk',
      'market.recompute',
      'market.daily',
      'valuation.fit',
      'valuation.county',
    ]);
  });
});

describe.each(BACKENDS)('jobs on $kind', ({ kind }) => {
  /** A queue of the test's own, and a worker for it when it is asked for. */
  function setUp(registry: Registry) {
    const config = workerConfig(db, kind);
    const queues = openQueues(openTestBackend(config));
    const deliverer = { queues, definitions: definitionsOf(registry) };
    return {
      config,
      queues,
      deliver: (ids?: string[]) => deliver(pool, deliverer, ids),
      start: () => startTestWorker(config, registry),
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

  test('a delivered job runs; its progress, result and totals can be seen', async () => {
    const definition = testJob(`${kind}.seen`);
    let go = () => {};
    const gate = new Promise<void>(resolve => {
      go = resolve;
    });
    const { start, send } = setUp(
      registryOf([
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
      registryOf([
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

  test('what a crash between commit and delivery left behind is found when a worker starts', async () => {
    const definition = testJob(`${kind}.left`);
    const { start } = setUp(registryOf([definition, async () => ({ rows: 0 })]));
    const { id } = await enqueue(pool, definition, { text: 'left' });
    await age(id);
    await start();
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', attempts: 1 });
  });

  test('when the queue was lost, the sweep hands its jobs on again, those that had begun included', async () => {
    const definition = testJob(`${kind}.lost`);
    const { start, send, deliver, config } = setUp(registryOf([definition, async () => ({ rows: 0 })]));
    const ids = [await send(definition, 'waiting'), await send(definition, 'begun')];
    await pool.query(sql('jobs/start_job'), [ids[1]]);
    await Promise.all(ids.map(age));
    expect(await deliver()).toBe(0);
    await loseQueues(db, config);
    expect(await deliver()).toBe(2);
    await start();
    for (const id of ids) expect(await waitForJob(pool, id)).toMatchObject({ status: 'done' });
  });

  test('an error that may pass is tried again', async () => {
    const definition = testJob(`${kind}.passing`, { attempts: 4, backoffMs: 200 });
    const { start, send } = setUp(
      registryOf([
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
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', attempts: 3, error: null });
    expect(await totalsOf(definition.name)).toEqual([
      { outcome: 'done', jobs: 1, rows: 1 },
      { outcome: 'retried', jobs: 2, rows: 0 },
    ]);
  });

  test('the last attempt fails the job; an error that will not pass fails it at once', async () => {
    const passing = testJob(`${kind}.worn`, { attempts: 2, backoffMs: 20 });
    const lasting = testJob(`${kind}.wrong`);
    const { start, send } = setUp(
      registryOf(
        [passing, async () => Promise.reject(new PlatError('busy', 'still busy', { retryable: true }))],
        [lasting, async () => Promise.reject(new PlatError('bad_file', 'Row 7 is no row.'))],
      ),
    );
    await start();
    const [worn, wrong] = [await send(passing, 'a'), await send(lasting, 'a')];
    expect(await waitForJob(pool, worn)).toMatchObject({ status: 'failed', attempts: 2, error_code: 'busy' });
    expect(await waitForJob(pool, wrong)).toMatchObject({
      ...{ status: 'failed', attempts: 1, error_code: 'bad_file', error: 'Row 7 is no row.' },
    });
  });

  test('a job that no worker knows, and one whose payload does not fit, fail and say so', async () => {
    const known = testJob(`${kind}.known`);
    const { start, send, queues } = setUp(registryOf([known, async () => ({ rows: 0 })]));
    await start();
    const unknown = await enqueue(pool, testJob(`${kind}.unknown`), { text: 'a' });
    await queues.ingest.add('unknown', { id: unknown.id });
    expect(await waitForJob(pool, unknown.id)).toMatchObject({
      ...{ status: 'failed', error_code: 'registry', error: expect.stringContaining('this worker is older') },
    });
    const loose = {
      ...known,
      payload: { parse: (input: unknown) => input as { text: string } },
      key: () => 'x',
    };
    const misfit = await send(loose, 7 as unknown as string);
    expect(await waitForJob(pool, misfit)).toMatchObject({
      ...{
        status: 'failed',
        attempts: 1,
        error_code: 'payload',
        error: expect.stringContaining('expected string'),
      },
    });
  });

  test('a worker that stops gives its job back: the next one begins it at once and no attempt is lost', async () => {
    const definition = testJob(`${kind}.handed`, { attempts: 1 });
    const { start, send } = setUp(
      registryOf([
        definition,
        async ({ attempt, signal }) => {
          if (attempt === 1) {
            await new Promise(resolve => signal.addEventListener('abort', resolve));
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
      note: expect.stringContaining('waits'),
    });
    await start();
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'done', result: { rows: 2 } });
  });

  test('a job that has been begun 25 times without an end is given up', async () => {
    const definition = testJob(`${kind}.killer`);
    const { start, send } = setUp(registryOf([definition, async () => ({ rows: 0 })]));
    const id = await send(definition, 'a');
    await pool.query("update jobs set status = 'running', attempts = 25 where id = $1", [id]);
    await start();
    expect(await waitForJob(pool, id)).toMatchObject({ status: 'failed', error_code: 'abandoned' });
  });
});
