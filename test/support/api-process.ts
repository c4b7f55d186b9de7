import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import { rootDir } from '../../shared/root.ts';

export type ApiProcess = { url: string; log(): string; kill(): Promise<void> };

/** The API as operators run it, in a process of its own that can be killed; gone when the file is done. */
export async function startApiProcess(
  db: { url: string },
  env: Record<string, string> = {},
): Promise<ApiProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: rootDir,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: db.url,
      PORT: '0',
      LOG_LEVEL: 'info',
      LOG_REQUESTS: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let log = '';
  child.stderr!.on('data', chunk => {
    log += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', () => {
      const listening = /"url":"([^"]+)"/.exec(log);
      if (listening !== null) resolve(listening[1]!);
    });
    child.once('exit', () => reject(new Error(`The API did not start: ${log}`)));
  });
  return {
    url,
    log: () => log,
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});
