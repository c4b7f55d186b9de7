import type { Db } from '../../shared/platform/db.ts';
import type { CallContext } from './endpoint.ts';

/**
 * What a POST makes in a transaction, once for its Idempotency-Key: a repeat after its process died, or its
 * client left, is given what was made before.
 * @param make what it returns is noted as JSON
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
