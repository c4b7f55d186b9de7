import { fork } from 'node:child_process';
import { join } from 'node:path';
import { rootDir } from '../../../shared/root.ts';
import type { ConnectedConfig } from '../common/session.ts';

const PROGRAMS = { api: join('api', 'main.ts'), worker: join('workers', 'main.ts') } as const;
export type ServiceName = keyof typeof PROGRAMS;

/** Programs are TypeScript sources, run through tsx. */
const RUNTIME = ['--import', import.meta.resolve('tsx')];

/**
 * What node is started with. There are as many workers as cores are to be used, so each collects its garbage on its own thread and not
 * on the cores of the others: two workers on two cores computed the land attributes of 60,000 parcels in 6.6 s and not 7.3 (means of
 * four, alternating), one alone in 10.4 and 10.3.
 */
export const RUNTIMES: Record<ServiceName, string[]> = {
  api: RUNTIME,
  worker: ['--single-threaded-gc', ...RUNTIME],
};

export function programOf(name: ServiceName): string {
  return join(rootDir, PROGRAMS[name]);
}

/** Runs one service in the foreground and ends with its exit code; signals are passed on to it. */
export function runService(name: ServiceName, { DATABASE_URL }: ConnectedConfig): Promise<void> {
  const child = fork(programOf(name), [], {
    execArgv: RUNTIMES[name],
    env: { ...process.env, DATABASE_URL },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A group of its own: Ctrl-C in a terminal would reach it twice, and a second signal means "at once".
    detached: true,
  });
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      asked = true;
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      // Asked to stop before it could listen to signals: it had nothing to finish.
      const early = asked && (signal === 'SIGINT' || signal === 'SIGTERM');
      process.exitCode = early ? 0 : (code ?? 1);
      resolve();
    });
  });
}
