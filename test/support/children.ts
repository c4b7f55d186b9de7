import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildOrder } from './job-child.ts';
import { startProgram } from './programs.ts';

export type { ChildOrder };

/** Starts a worker process that waits for a signal to start. See job-child.ts. */
export async function startChild(url: string, order: ChildOrder): Promise<ChildProcess> {
  const child = startProgram(
    'test/support/job-child.ts',
    { DATABASE_URL: url, LOG_LEVEL: 'error' },
    { args: [JSON.stringify(order)], stdio: ['pipe', 'pipe', 'inherit'] },
  );
  await once(child.stdout!, 'data');
  return child;
}

/**
 * Runs a child process until it exits, or kills it after this many milliseconds.
 * @returns the signal that ended it
 */
export async function work(child: ChildProcess, killAfterMs?: number): Promise<unknown> {
  const exit = once(child, 'exit');
  child.stdin!.write('go\n');
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs);
    child.kill('SIGKILL');
  }
  return (await exit)[1];
}
