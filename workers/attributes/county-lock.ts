import { setTimeout as sleep } from 'node:timers/promises';
import { type Queryable, sql } from '../../shared/db.ts';
import { LOCKS } from '../../shared/locks.ts';

const POLL_MS = 50;

/** Waits for the chunks of these counties that are being written, and holds the others back until the transaction ends. */
export async function lockCounties(db: Queryable, counties: readonly number[]): Promise<void> {
  await db.query(sql('attributes/lock_counties'), [LOCKS.countyAttributes, counties]);
}

/** Waits for a merge of the county that is under way, and holds the next one back until the transaction ends. */
export async function shareCounty(db: Queryable, fips: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await db.query<{ locked: boolean }>(sql('attributes/try_lock_county'), [
      LOCKS.countyAttributes,
      fips,
    ]);
    if (rows[0]!.locked) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}
