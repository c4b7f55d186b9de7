import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildOrder } from './job-child.ts';
import { startProgram } from './programs.ts';

export type { ChildOrder };

/** A worker process that waits for a signal to start, see job-child.ts. */
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
 * Lets a child work until it dies, by itself or by us after some milliseconds. @returns the
 * signal that ended it
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
