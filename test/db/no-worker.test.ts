import { expect, test } from 'vitest';
import { warnOfNoWorker } from '../../cli/common/cli-enqueue.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { statement } from '../../shared/platform/statements.ts';
import { createLease } from '../../workers/queue/worker-lease.ts';
import { createTestDatabase } from '../support/database.ts';
import { testJob } from '../support/workers.ts';

const db = await createTestDatabase();
const { pool } = db;
const definition = testJob('waiting');

/** What somebody who waits for a job is told. */
async function told(id: string, signal = new AbortController().signal): Promise<string> {
  let text = '';
  await warnOfNoWorker(pool, id, signal, { afterMs: 20, out: { write: more => (text += more) } });
  return text;
}

test('whoever waits for a job that no worker takes is told so, and what to do', async () => {
  const { id } = await enqueue(pool, definition, { text: 'a' });
  expect(await told(id)).toMatch(/\b0\.02 seconds\b.*`plat worker`/);
});

test('not if a worker is busy with other jobs, if the job has started, or if the wait is over', async () => {
  const { id } = await enqueue(pool, definition, { text: 'b' });
  const over = new AbortController();
  over.abort();
  expect(await told(id, over.signal)).toBe('');

  const lease = createLease(60_000, 6, createLogger(db.config, 'test'));
  await lease.begin(pool);
  expect(await told(id)).toBe('');
  await lease.end(pool);
  expect(await told(id)).not.toBe('');

  await pool.query(statement('queue/start_job', { id, worker: 'a test' }));
  expect(await told(id)).toBe('');
});
