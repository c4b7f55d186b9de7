// Runs a worker's dispatcher, or the process that follows saved searches (`"follow": true`), in its own
// process, which dies at a given statement:
//   DATABASE_URL=… node --import tsx test/support/dispatcher-child.ts '{"dieAt": 7}'
import pg from 'pg';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { followSearches } from '../../workers/searches/follow-searches.ts';
import { startDispatcher } from '../../workers/webhooks/dispatcher.ts';
import { openTestDb } from './test-db.ts';

const { dieAt, follow } = JSON.parse(process.argv[2]!) as { dieAt?: number; follow?: true };
const config = loadConfig();
const log = createLogger(config, 'dispatcher child');
const pool = openTestDb(config, { applicationName: 'dispatcher child', connectTimeoutMs: 60_000 });
const send = pg.Client.prototype.query as (...values: unknown[]) => unknown;
let count = 0;
pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
  const sent = send.apply(this, values);
  // The kernel decides whether the last statement still reaches the server.
  if (++count === dieAt) process.kill(process.pid, 'SIGKILL');
  return sent;
} as typeof pg.Client.prototype.query;
if (follow) {
  process.stdout.write('ready\n');
  const { signal } = new AbortController();
  await followSearches({ db: pool, log, config, signal, together: 1 });
  await pool.end();
} else startDispatcher({ db: pool, log, config });
