// Recomputes the history of all regions in its own process: `tsx history-worker.ts URL TODAY`. Prints the
// result, elapsed seconds, and peak memory as JSON.

import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { restateHistory } from '../../workers/market/restate-history.ts';
import { openTestDb } from '../support/test-db.ts';

const [url, today] = process.argv.slice(2);
const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
const pool = openTestDb(config, { applicationName: 'plat bench', max: 2 });
const begin = performance.now();
const result = await restateHistory(pool, { today: dayOf(today!) });
const seconds = (performance.now() - begin) / 1000;
process.stdout.write(
  JSON.stringify({ ...result, seconds, megabytes: process.resourceUsage().maxRSS / 1024 }),
);
await pool.end();
