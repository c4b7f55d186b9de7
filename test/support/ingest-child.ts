// A worker for the ingestion tests: runs one feed in its own process, which can be made to die or to wait.
//   DATABASE_URL=… node --import tsx test/support/ingest-child.ts '{"feed": "…/feed.yaml", "jobId":
// "…", "dieAt": "gate"}'
import { once } from 'node:events';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { runFeed } from '../../workers/ingest/ingest-feed.ts';
import { loadFeed } from '../../workers/ingest/load-feeds.ts';
import { openTestDb } from './test-db.ts';

export type ChildOrder = {
  feed: string;
  jobId: string | null;
  /** A step, or 'copy' for the middle of the COPY. */
  dieAt?: string;
  /** Text in a progress note at which to die. */
  dieAtNote?: string;
  workDir?: string;
  /** A step at which to wait for a line on standard input. */
  waitAt?: string;
};

const order = JSON.parse(process.argv[2]!) as ChildOrder;
const config = loadConfig();
const log = createLogger(config, 'child');
const pool = openTestDb(config, { applicationName: 'ingest child', connectTimeoutMs: 60_000 });

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

const result = await runFeed(
  {
    db: pool,
    log,
    signal: new AbortController().signal,
    env: process.env,
    ...(order.workDir !== undefined && { workDir: order.workDir }),
    progress(_fraction, note) {
      if (order.dieAtNote !== undefined && note.includes(order.dieAtNote)) void die();
      if (order.dieAt === 'copy' && /(roll|layer): [2-9]\d{3} rows/.test(note)) void die();
    },
    async onStep(step) {
      if (order.dieAt === step) await die();
      process.stdout.write(`${step}\n`);
      if (order.waitAt === step) await once(process.stdin, 'data');
    },
  },
  { feed: await loadFeed(order.feed), jobId: order.jobId, requestedBy: 'child', force: false, sources: {} },
);
process.stdout.write(`${result.status}\n`);
await pool.end();
process.stdin.destroy();
