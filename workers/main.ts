import { loadConfig } from '../shared/platform/config.ts';
import { createLogger } from '../shared/platform/log.ts';
import { onShutdown } from '../shared/platform/shutdown.ts';
import { allJobs } from './all-jobs.ts';
import { sweepRunFolders } from './ingest/engine/run-folder.ts';
import { startWorker } from './start-worker.ts';

const config = loadConfig();
const log = createLogger(config, 'plat-worker');
const left = sweepRunFolders();
if (left.length > 0) log.info({ folders: left }, 'removed files left by a killed worker');
const stopping = new AbortController();
const fail = (message: string) => (error: unknown) => {
  if (stopping.signal.aborted) return;
  log.fatal({ err: error }, message);
  process.exit(1);
};
const lost = fail('the worker lost its database connection');
const starting = startWorker(config, log, allJobs, { signal: stopping.signal, lost });
onShutdown(log, config.SHUTDOWN_TIMEOUT_MS, async () => {
  stopping.abort();
  await (await starting.catch(() => undefined))?.stop();
});
starting.catch(fail('the worker could not start'));
