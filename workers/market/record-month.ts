import { isoDay, monthEnds, utcDay } from '../../shared/kernels/stats/calendar.ts';
import { type Client, statement } from '../../shared/platform/db.ts';
import { LOCKS, takeLock } from '../../shared/platform/locks.ts';

type Options = { today?: number | undefined; signal?: AbortSignal | undefined };

/**
 * Records the responses of stats/ at the end of the last month, before a recompute writes the first different
 * one. Only for the holder of the recompute lock, because nothing else changes responses.
 */
export async function recordMonth(client: Client, { today, signal }: Options): Promise<void> {
  const [last] = monthEnds(today ?? utcDay(Date.now()), 1);
  const day = isoDay(last!);
  const { rows } = await client.query<{ recorded: boolean }>(statement('market/has_recorded', { day }));
  if (rows[0]!.recorded) return;
  await client.query('begin');
  try {
    await takeLock(client, [LOCKS.marketHistory], signal, 'pg_try_advisory_xact_lock');
    await client.query(statement('market/record_month', { day }));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
