// A worker of the tests of land attributes: takes every open chunk as the workers' runner does, in a process of its own,
// which dies at one of its statements when that is asked for.
//   DATABASE_URL=… node --import tsx test/support/attributes-child.ts '{"name": "first", "dieAt": 17}'
import { once } from 'node:events';
import type { Job } from 'bullmq';
import pg from 'pg';
import { loadConfig } from '../../shared/config.ts';
import { createPool, sql } from '../../shared/db.ts';
import { createLogger } from '../../shared/log.ts';
import { attributesJobs } from '../../workers/attributes/handlers.ts';
import { createProcessor } from '../../workers/runner/runner.ts';

export type ChildOrder = {
  /** The server knows its connections by it. */
  name: string;
  /** Statements before its end, transactions' own included; without it the child works until it is killed or done. */
  dieAt?: number;
  /** Counts them from where the first chunk is written. */
  inWriting?: boolean;
};

const order = JSON.parse(process.argv[2]!) as ChildOrder;
const config = loadConfig();
const log = createLogger(config, 'child');
const pool = createPool(config, log, { applicationName: order.name });
const registry = new Map(attributesJobs.map(entry => [entry.definition.name, entry]));
const signal = new AbortController().signal;
const processJob = createProcessor({
  pool,
  config,
  log,
  registry,
  signal,
  deliver: async () => {},
  pause: () => {},
});
const { rows: jobs } = await pool.query<{ id: string }>(
  `select id from jobs where name = 'attributes.chunk' and status in ('queued', 'running')
   order by (payload ->> 'chunk')::bigint`,
);

process.stdout.write('ready\n');
await once(process.stdin, 'data');
if (order.dieAt !== undefined) dieAt(order.dieAt);
for (const { id } of jobs) {
  const delivery = { data: { id }, attemptsMade: 0, opts: {} };
  await processJob(delivery as unknown as Job<{ id: string }, unknown, string>);
}
await pool.end();
process.stdin.destroy();

/** Whether the server still gets the last statement, the kernel decides. */
function dieAt(last: number): void {
  const send = pg.Client.prototype.query as (...values: unknown[]) => unknown;
  let count = 0;
  let isCounting = !order.inWriting;
  pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
    const sent = send.apply(this, values);
    isCounting ||= values[0] === sql('attributes/announce_writing');
    if (isCounting && ++count === last) process.kill(process.pid, 'SIGKILL');
    return sent;
  } as typeof pg.Client.prototype.query;
}
