import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import { startProgram } from './programs.ts';

type Env = Record<string, string>;
export type ApiProcess = Awaited<ReturnType<typeof startApiProcess>>;

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The API in a process of its own, and what it has logged so far; gone when the file is done. */
export function spawnApi(db: { url: string }, env: Env = {}) {
  const settings = { DATABASE_URL: db.url, PORT: '0', LOG_LEVEL: 'info', ...env };
  const child = startProgram('api/main.ts', settings, { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  let said = '';
  child.stderr!.on('data', chunk => {
    said += chunk;
  });
  return { child, log: () => said };
}

/** One that can be called, and killed. */
export async function startApiProcess(db: { url: string }, env: Env = {}) {
  const { child, log } = spawnApi(db, { LOG_REQUESTS: '0', ...env });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', () => {
      const listening = /"url":"([^"]+)"/.exec(log());
      if (listening !== null) resolve(listening[1]!);
    });
    child.once('exit', () => reject(new Error(`The API did not start: ${log()}`)));
  });
  return {
    ...{ child, url, log },
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
