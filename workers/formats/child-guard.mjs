// A thread that can end a reader process even if the process's main thread is busy.
import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const LOOK_MS = 100;

/** The signal that ends a process that uses too much memory. */
export const OUT_OF_MEMORY = 'SIGUSR2';

/** Ends the process when it exceeds this many megabytes, or when its parent has died. */
export function guardProcess(maxMb) {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { guarded: { parent: process.ppid, maxBytes: maxMb * 2 ** 20 } },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
}

if (!isMainThread && workerData?.guarded) {
  const { parent, maxBytes } = workerData.guarded;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, OUT_OF_MEMORY);
  }, LOOK_MS);
}

/** Writes to standard output, and waits until it is read. */
export function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // EAGAIN: the pipe is full. Any other error means that the receiver is gone, so this process ends.
      if (error.code !== 'EAGAIN') process.exit(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return bytes.length;
}
