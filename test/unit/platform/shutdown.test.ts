import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** A process that stops as told; it writes `ready` when its handlers are in place. */
function startProcess(stop: string, deadlineMs: number) {
  const code = `
    import { onShutdown } from './shared/platform/shutdown.ts';
    const log = { info() {}, warn() {}, error() {} };
    setInterval(() => {}, 1_000);
    onShutdown(log, ${deadlineMs}, ${stop});
    console.log('ready');`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, ready: once(child.stdout!, 'data') };
}

test.each([
  ['in time', 'async () => {}', 60_000, 1, 0],
  ['with a failure', 'async () => { throw new Error() }', 60_000, 1, 1],
  ['not within the deadline', '() => new Promise(() => {})', 1, 1, 1],
  ['not before the second signal', '() => new Promise(() => {})', 60_000, 2, 1],
])('a process that stops %s exits with its code', async (_how, stop, deadlineMs, signals, code) => {
  const { child, ready } = startProcess(stop, deadlineMs);
  const exit = once(child, 'exit');
  await ready;
  child.kill('SIGTERM');
  if (signals === 2) {
    // Sent until it has gone: two signals at once may arrive as one.
    const again = setInterval(() => child.kill('SIGINT'), 20);
    exit.finally(() => clearInterval(again));
  }
  expect(await exit).toEqual([code, null]);
});
