import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** Of the call whose work is running: aborted when nobody waits for its answer any more. */
const calls = new AsyncLocalStorage<AbortSignal | undefined>();

/** Does the work of one call: its statements are stopped when `signal` is aborted. */
export function whileWaited<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return calls.run(signal, work);
}

/** Does work that other calls wait for as well as the one that began it: nobody stops it. */
export const forSeveral = <T>(work: () => T): T => calls.run(undefined, work);

/** @returns undefined when the running work belongs to no call, or to several */
export const waitedFor = (): AbortSignal | undefined => calls.getStore();

/** Runs a statement on a held connection; when nobody waits any more the server cancels it, and both are over on return. */
export async function stoppable<T>(
  signal: AbortSignal,
  pool: pg.Pool,
  client: pg.ClientBase,
  statement: () => Promise<T>,
): Promise<T> {
  let cancelling: Promise<unknown> | undefined;
  const stop = () => {
    const { processID } = client as unknown as { processID: number };
    // Without it the statement ends by its time-out.
    cancelling = pool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await statement();
  } finally {
    signal.removeEventListener('abort', stop);
    await cancelling;
  }
}
