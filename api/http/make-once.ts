import type { Db } from '../../shared/platform/db.ts';
import type { CallContext } from './endpoint.ts';

/**
 * Creates something in a transaction, once per Idempotency-Key. If the process died or the client
 * disconnected, a repeat returns what was created the first time.
 * @param make its result is stored as JSON
 */
export async function makeOnce<T>(
  db: Db,
  { attempt }: CallContext,
  make: (tx: Db) => Promise<T>,
): Promise<T> {
  if (attempt?.made !== undefined) return attempt.made as T;
  return db.transaction(async tx => {
    const made = await make(tx);
    await attempt?.noteMade(tx, made);
    return made;
  });
}
