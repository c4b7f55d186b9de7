import type { Pool } from '../../shared/db.ts';
import { sql } from '../../shared/db.ts';
import type { Logger } from '../../shared/log.ts';

/** Nobody waits for it: a call rolls its own account's period, and answers older than a day are not given out. */
const EVERY_MS = 60_000;

/**
 * Once a minute, in every process: periods that are over begin anew also for accounts that nobody calls with, and answers that
 * were kept for repeated calls are deleted after their day. Returns how to stop it.
 */
export function startHousekeeping(pool: Pool, log: Logger, everyMs = EVERY_MS): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = keepHouse(pool).catch(error =>
      log.warn({ err: error }, 'housekeeping failed; it is tried again'),
    );
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

export async function keepHouse(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(sql('api/list_due_accounts'));
  if (rows.length > 0) await pool.query(sql('accounts/roll_period'), [rows.map(row => row.id)]);
  await pool.query(sql('api/delete_old_answers'));
}
