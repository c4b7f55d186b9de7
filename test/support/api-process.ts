import { once } from 'node:events';
import { afterAll } from 'vitest';
import { startProgram } from './programs.ts';

type Env = Record<string, string>;

/** Starts API processes on a database and stops them at the end of the test file. */
export function apiProcesses(db: { url: string }, settings: Env = {}) {
  const children: ReturnType<typeof startProgram>[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Starts a process that may fail to start, and collects its log. */
  function spawnApi(env: Env = {}) {
    const child = startProgram(
      'api/main.ts',
      { DATABASE_URL: db.url, PORT: '0', LOG_LEVEL: 'info', ...settings, ...env },
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    children.push(child);
    let output = '';
    child.stderr!.on('data', chunk => {
      output += chunk;
    });
    return { child, log: () => output };
  }

  /** Starts a process and waits until it serves requests. */
  async function startApi(env: Env = {}) {
    const { child, log } = spawnApi({ LOG_REQUESTS: '0', ...env });
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr!.on('data', () => {
        const listening = /"url":"([^"]+)"/.exec(log());
        if (listening !== null) resolve(listening[1]!);
      });
      child.once('exit', () => reject(new Error(`The API did not start: ${log()}`)));
    });
    return {
      child,
      url,
      log,
      async kill() {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      },
    };
  }

  return { spawnApi, startApi };
}
