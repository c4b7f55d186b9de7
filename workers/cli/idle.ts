import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, sql } from '../../shared/db.ts';
import { getJob } from '../../shared/jobs.ts';

/** A worker takes a job within a second of its being queued, when it is not busy. */
const UNTAKEN_MS = 10_000;

/**
 * Says, while somebody waits for a job, that nobody is there who could take it: after ten seconds, once. Ends with the signal.
 * Faults of the database are left to those who wait.
 */
export async function warnOfNoWorker(
  pool: Pool,
  id: string,
  signal: AbortSignal,
  options: { afterMs?: number; out?: { write(text: string): unknown } } = {},
): Promise<void> {
  const { afterMs = UNTAKEN_MS, out = process.stderr } = options;
  try {
    await sleep(afterMs, undefined, { signal });
    const { status } = await getJob(pool, id);
    if (status !== 'queued') return;
    const { rows } = await pool.query<{ workers: number }>(sql('jobs/count_worker_sessions'));
    if (rows[0]?.workers !== 0 || signal.aborted) return;
    out.write(
      `No worker has been seen in ${afterMs / 1000} seconds: start one with \`plat worker\` (or everything with \`npm start\`). The job waits until then; Ctrl-C stops waiting, not the job.\n`,
    );
  } catch {
    // Aborted, or the database is away, which waiting itself finds out.
  }
}
