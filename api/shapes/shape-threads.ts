import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { isQuick, runShapeTask, type ShapeWork } from '../../shared/geo/shape-work.ts';
import { programPath } from '../../shared/platform/root.ts';
import { unavailable } from '../http/database.ts';

const PROGRAM = 'api/shapes/shape-thread.ts';

/** Leaves one core for the thread that serves requests. */
const MAX_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));

export type ShapeThreads = {
  compute: ShapeWork['compute'];
  /** Starts all threads now, so that none of them starts later from files that an upgrade has replaced. */
  start(): void;
  stop(): Promise<void>;
};

type Job = { message: unknown; resolve(output: unknown): void; reject(error: Error): void };

type Pool = {
  maxThreads: number;
  threads: Map<Worker, Job | undefined>;
  waiting: Job[];
  isStopped: boolean;
};

/**
 * Computes shapes on threads, in order, so that they don't delay other requests. Quick shapes are computed on
 * the calling thread. Without `start`, threads are started on demand.
 */
export function openShapeThreads(maxThreads = MAX_THREADS): ShapeThreads {
  const db: Pool = { maxThreads, threads: new Map(), waiting: [], isStopped: false };
  return {
    async compute(task, ...input) {
      if (isQuick(task, input)) return runShapeTask(task, input);
      const output = new Promise((resolve, reject) => {
        db.waiting.push({ message: { task, input }, resolve, reject });
      });
      dispatch(db);
      return (await output) as ReturnType<typeof runShapeTask<typeof task>>;
    },
    start() {
      while (db.threads.size < maxThreads) startThread(db);
    },
    async stop() {
      db.isStopped = true;
      await Promise.all([...db.threads.keys()].map(thread => thread.terminate()));
    },
  };
}

function startThread(db: Pool): void {
  const { threads } = db;
  const thread = new Worker(programPath(PROGRAM), { execArgv: [] });
  // Lets the process end while this thread waits for work.
  thread.unref();
  thread.on('message', output => {
    const job = threads.get(thread);
    threads.set(thread, undefined);
    job?.resolve(output);
    dispatch(db);
  });
  thread.on('error', error => loseThread(db, thread, error));
  thread.on('exit', () => loseThread(db, thread, new Error('the thread ended')));
  threads.set(thread, undefined);
}

function loseThread(db: Pool, thread: Worker, error: unknown): void {
  const job = db.threads.get(thread);
  db.threads.delete(thread);
  job?.reject(unavailable('The shape could not be computed. Try again shortly.', error));
  if (!db.isStopped) dispatch(db);
}

function dispatch(db: Pool): void {
  const { threads, waiting } = db;
  for (const [thread, job] of threads) {
    if (job !== undefined) continue;
    const next = waiting.shift();
    if (next === undefined) return;
    threads.set(thread, next);
    thread.postMessage(next.message);
  }
  if (waiting.length === 0 || threads.size >= db.maxThreads) return;
  try {
    startThread(db);
  } catch (error) {
    for (const job of waiting.splice(0)) job.reject(unavailable('No thread could be started.', error));
  }
  dispatch(db);
}
