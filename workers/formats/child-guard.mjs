// What a process that reads one file needs beside its reader: a thread that ends it, since its own may
// compute for ever, and output that waits until it is read.
import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const LOOK_MS = 100;

/** The signal by which a process ends that needs too much memory. */
export const OUT_OF_MEMORY = 'SIGUSR2';

/** Ends the process once it holds more than so many megabytes, or the one that started it has died. */
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

/** Writes to standard output, and waits while nobody reads it. */
export function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // The pipe is full; a reader that has gone ends this process.
      if (error.code !== 'EAGAIN') process.exit(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return bytes.length;
}
