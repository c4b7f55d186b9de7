import { loadConfig } from '../shared/platform/config.ts';
import { createLogger } from '../shared/platform/log.ts';
import { onShutdown } from '../shared/platform/shutdown.ts';
import { startApi } from './start-api.ts';

/** Running requests have SHUTDOWN_TIMEOUT_MS to finish. Anything still open then has this long to close. */
const CLOSING_MS = 2_000;

const config = loadConfig();
const log = createLogger(config, 'api');
const stopping = new AbortController();
const fail = (error: unknown) => {
  if (stopping.signal.aborted) return;
  log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
  process.exit(1);
};
const starting = startApi(config, log, { signal: stopping.signal, lost: fail });
const deadlineMs = config.SHUTDOWN_DELAY_MS + config.SHUTDOWN_TIMEOUT_MS + CLOSING_MS;
onShutdown(log, deadlineMs, async () => {
  stopping.abort();
  await (await starting.catch(() => undefined))?.stop();
});
starting
  // For `plat up`, so that it doesn't mistake another program on this port for this one.
  .then(({ port }) => process.send?.({ port }))
  .catch(fail);
