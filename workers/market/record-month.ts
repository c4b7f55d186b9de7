import { isoDay, monthEnds, utcDay } from '../../shared/kernels/stats/calendar.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';

type Options = { today?: number | undefined; signal?: AbortSignal | undefined };

/**
 * Records the responses of stats/ at the end of the last month, before a recompute writes the first different
 * one. Only for the holder of the recompute lock, because nothing else changes responses.
 */
export async function recordMonth(db: Db, { today, signal }: Options): Promise<void> {
  const [last] = monthEnds(today ?? utcDay(Date.now()), 1);
  const day = isoDay(last!);
  const rows = await db.run<{ recorded: boolean }>('market/has_recorded', { day });
  if (rows[0]!.recorded) return;
  await db.transaction(async tx => {
    await takeLock(tx, [LOCKS.marketHistory], signal, 'pg_try_advisory_xact_lock');
    await tx.run('market/record_month', { day });
  });
}
