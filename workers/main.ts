import { loadConfig } from '../shared/base/config.ts';
import { createLogger } from '../shared/base/log.ts';
import { onShutdown } from '../shared/base/shutdown.ts';
import { allJobs } from './all-jobs.ts';
import { sweepRunFolders } from './ingest/run/run-folder.ts';
import { startWorker } from './start-worker.ts';

const config = loadConfig();
const log = createLogger(config, 'plat-worker');
const left = sweepRunFolders();
if (left.length > 0) log.info({ folders: left }, 'removed what a killed worker had left');
const starting = startWorker(config, log, allJobs);
onShutdown(log, config.SHUTDOWN_TIMEOUT_MS, async () => (await starting).stop());
starting.catch(error => {
  log.fatal({ err: error }, 'the worker did not start');
  process.exit(1);
});
