import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedServer, startEmbedded } from '../../../shared/postgres/embedded.ts';
import { print } from '../common/output.ts';

const WATCH_MS = 1_000;

/** Starts the PostgreSQL in `folder`, and starts it again whenever it dies; its clients connect again by themselves. */
export async function startPostgres(
  folder: string,
): Promise<{ url: string; stop(): Promise<void>; kill(): void }> {
  const server = await startEmbedded(folder);
  print(
    server.started
      ? 'PostgreSQL: started.'
      : 'PostgreSQL: took over the one that an earlier start left running.',
  );
  const stopping = new AbortController();
  const watching = watch(server, stopping.signal);
  return {
    url: server.url,
    async stop() {
      stopping.abort();
      await watching;
      await server.stop();
    },
    kill: server.kill,
  };
}

async function watch(server: EmbeddedServer, signal: AbortSignal): Promise<void> {
  let said = false;
  while (!signal.aborted) {
    try {
      if (await server.revive()) print('PostgreSQL ended and was started again.');
      said = false;
    } catch (error) {
      if (!said)
        print(`PostgreSQL ended and does not start: ${error instanceof Error ? error.message : error}`);
      said = true;
    }
    await sleep(WATCH_MS, undefined, { signal }).catch(() => {});
  }
}
