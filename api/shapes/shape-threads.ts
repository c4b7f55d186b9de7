import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { isQuick, runShapeTask, type ShapeWork } from '../../shared/geo/shape-work.ts';
import { programPath } from '../../shared/platform/root.ts';
import { unavailable } from '../http/database.ts';

const PROGRAM = 'api/shapes/shape-thread.ts';

/** One core is left to the thread that serves. */
const MAX_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));

export type ShapeThreads = {
  compute: ShapeWork['compute'];
  /** Starts all threads, so that none is started from files that an upgrade has replaced. */
  start(): void;
  stop(): Promise<void>;
};

type Job = { message: unknown; resolve(output: unknown): void; reject(error: Error): void };

/**
 * Computes shapes on threads, in order, so that no other request waits. Quick ones are computed here.
 * Without `start`, a thread is started when it is needed.
 */
export function openShapeThreads(maxThreads = MAX_THREADS): ShapeThreads {
  const threads = new Map<Worker, Job | undefined>();
  const waiting: Job[] = [];
  let stopped = false;

  function startThread(): void {
    const thread = new Worker(programPath(PROGRAM), { execArgv: [] });
    // The process may end while it waits for work.
    thread.unref();
    thread.on('message', output => {
      const job = threads.get(thread);
      threads.set(thread, undefined);
      job?.resolve(output);
      dispatch();
    });
    thread.on('error', error => lose(thread, error));
    thread.on('exit', () => lose(thread, new Error('the thread ended')));
    threads.set(thread, undefined);
  }

  function lose(thread: Worker, error: unknown): void {
    const job = threads.get(thread);
    threads.delete(thread);
    job?.reject(unavailable('The shape could not be computed. Try again shortly.', error));
    if (!stopped) dispatch();
  }

  function dispatch(): void {
    for (const [thread, job] of threads) {
      if (job !== undefined) continue;
      const next = waiting.shift();
      if (next === undefined) return;
      threads.set(thread, next);
      thread.postMessage(next.message);
    }
    if (waiting.length === 0 || threads.size >= maxThreads) return;
    try {
      startThread();
    } catch (error) {
      for (const job of waiting.splice(0)) job.reject(unavailable('No thread could be started.', error));
    }
    dispatch();
  }

  return {
    async compute(task, ...input) {
      if (isQuick(task, input)) return runShapeTask(task, input);
      const output = new Promise((resolve, reject) => {
        waiting.push({ message: { task, input }, resolve, reject });
      });
      dispatch();
      return (await output) as ReturnType<typeof runShapeTask<typeof task>>;
    },
    start() {
      while (threads.size < maxThreads) startThread();
    },
    async stop() {
      stopped = true;
      await Promise.all([...threads.keys()].map(thread => thread.terminate()));
    },
  };
}
