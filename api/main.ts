import { loadConfig } from '../shared/config.ts';
import { createLogger } from '../shared/log.ts';
import { startApi } from './start.ts';

const config = loadConfig();
const log = createLogger(config, 'api');

try {
  const api = await startApi(config, log);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) {
      log.warn({ signal }, 'stopping at once');
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, 'finishing running requests');
    api.stop().then(
      () => process.exit(0),
      error => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
  process.exitCode = 1;
}
