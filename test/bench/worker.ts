import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ENVIRONMENT, programOf, RUNTIMES } from '../../cli/up/supervisor.ts';
import { rootDir } from '../../shared/platform/root.ts';

/** Starts a worker in its own process, as in production. Resolves when it accepts jobs. */
export async function startWorker(url: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [...RUNTIMES.worker, programOf('worker')], {
    cwd: rootDir,
    env: {
      ...ENVIRONMENT,
      PATH: process.env.PATH,
      PLAT_BUILD: process.env.PLAT_BUILD,
      DATABASE_URL: url,
      SAMPLE_FEEDS: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    worker.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('worker ready')) resolve();
    });
    worker.once('exit', code => reject(new Error(`The worker ended with ${code}.`)));
  });
  return worker;
}

export const hasEnded = (worker: ChildProcess) => worker.exitCode !== null || worker.signalCode !== null;

export async function stopWorker(worker: ChildProcess): Promise<void> {
  if (hasEnded(worker)) return;
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}

/** Peak resident set in MB: the kernel's high-water mark on Linux, or the current value elsewhere. */
export async function residentMb({ pid }: ChildProcess): Promise<number> {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}
