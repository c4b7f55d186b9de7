import { loadConfig } from '../shared/config.ts';
import { createLogger } from '../shared/log.ts';
import { onShutdown } from '../shared/shutdown.ts';
import { sweepRunFolders } from './ingest/run/folder.ts';
import { registry } from './jobs.ts';
import { startWorker } from './start.ts';

const config = loadConfig();
const log = createLogger(config, 'plat-worker');
const left = sweepRunFolders();
if (left.length > 0) log.info({ folders: left }, 'removed what a killed worker had left');
const starting = startWorker(config, log, registry);
onShutdown(log, config.SHUTDOWN_TIMEOUT_MS, async () => (await starting).stop());
starting.catch(error => {
  log.fatal({ err: error }, 'the worker did not start');
  process.exit(1);
});
