import { isoDay, monthEnds, utcDay } from '../../shared/kernels/stats/calendar.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';

type Options = { today?: number | undefined; signal?: AbortSignal | undefined };

/** Call with the lock of recomputes, before the first response of a new month is written. */
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
