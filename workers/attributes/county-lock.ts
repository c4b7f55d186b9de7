import { type Queryable, sql } from '../../shared/db.ts';
import { LOCKS, takeLock } from '../../shared/locks.ts';

/** Waits for the chunks of these counties that are being written, and holds the others back until the transaction ends. */
export async function lockCounties(db: Queryable, counties: readonly number[]): Promise<void> {
  await db.query(sql('attributes/lock_counties'), [LOCKS.countyAttributes, counties]);
}

/** Waits for a merge of the county that is under way, and holds the next one back until the transaction ends. */
export function shareCounty(db: Queryable, fips: number, signal: AbortSignal): Promise<void> {
  return takeLock(db, [LOCKS.countyAttributes, fips], signal, 'pg_try_advisory_xact_lock_shared');
}
