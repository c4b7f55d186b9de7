import type { Database } from './database.ts';
import type { CallContext } from './endpoint.ts';

/**
 * What a POST makes in a transaction, once for its Idempotency-Key: a repeat after its process died, or its
 * client left, is given what was made before.
 * @param make what it returns is noted as JSON
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
