// A worker for the tests of land attributes, deals and exports: runs every open job with a name in its own
// process, as the job runner does. It can be told to die at a given statement.
//   DATABASE_URL=… node --import tsx test/support/job-child.ts '{"job": "attributes.chunk", "name":
// "first", "dieAt": 17}'
import { once } from 'node:events';
import type { Job } from 'bullmq';
import pg from 'pg';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { sql } from '../../shared/platform/statements.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { createProcessor } from '../../workers/queue/job-runner.ts';
import { openTestDb } from './test-db.ts';

export type ChildOrder = {
  job: 'attributes.chunk' | 'deal.fetch' | 'export.make';
  /** The application name for its connections. */
  name: string;
  /**
   * Number of statements before it dies, including BEGIN and COMMIT. Without it, the child works until it is
   * killed or done.
   */
  dieAt?: number;
  /** Starts counting only when the first chunk is written. */
  inWriting?: boolean;
};

const order = JSON.parse(process.argv[2]!) as ChildOrder;
const config = loadConfig();
const log = createLogger(config, 'child');
const pool = openTestDb(config, { applicationName: order.name, connectTimeoutMs: 60_000 });
const signal = new AbortController().signal;
const processJob = createProcessor({
  db: pool,
  config,
  log,
  jobs: allJobs,
  signal,
  deliver: async () => {},
  pause: () => {},
  async endDeadWorkers() {},
});
const { rows: open } = await pool.query<{ id: string }>(
  `select id from jobs where name = $1 and status in ('queued', 'running')
   order by (payload ->> 'chunk')::bigint, queued_at`,
  [order.job],
);

process.stdout.write('ready\n');
await once(process.stdin, 'data');
if (order.dieAt !== undefined) dieAt(order.dieAt);
for (const { id } of open) {
  const delivery = { data: { id }, attemptsMade: 0, opts: {} };
  await processJob(delivery as unknown as Job<{ id: string }, unknown, string>);
}
await pool.end();
process.stdin.destroy();

/** The kernel decides whether the last statement still reaches the server. */
function dieAt(last: number): void {
  const send = pg.Client.prototype.query as (...values: unknown[]) => unknown;
  let count = 0;
  let isCounting = !order.inWriting;
  pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
    const sent = send.apply(this, values);
    isCounting ||= (values[0] as { text?: string }).text === sql('land/announce_writing');
    if (isCounting && ++count === last) process.kill(process.pid, 'SIGKILL');
    return sent;
  } as typeof pg.Client.prototype.query;
}
