import type { Database } from './database.ts';
import type { CallContext } from './endpoint.ts';

/**
 * Creates something in a transaction, once per Idempotency-Key. If the process died or the client
 * disconnected, a repeat returns what was created before.
 * @param make its result is stored as JSON
 */
export async function makeOnce<T>(
  { transaction }: Pick<Database, 'transaction'>,
  { attempt }: CallContext,
  make: Parameters<typeof transaction<T>>[0],
): Promise<T> {
  if (attempt?.made !== undefined) return attempt.made as T;
  return transaction(async (run, statements) => {
    const made = await make(run, statements);
    await attempt?.noteMade(run, made);
    return made;
  });
}
