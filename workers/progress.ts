import type { Pool } from '../shared/db.ts';
import { sql } from '../shared/db.ts';
import type { Logger } from '../shared/log.ts';

/** `fraction` from 0 to 1, `note` in the words of the job. */
export type Progress = (fraction: number, note: string) => void;

/** People look a few times a second at most; writing more often would only load the database. */
const INTERVAL_MS = 300;

/** Writes a job's progress to its row, at most every 300 ms; a failure to write never fails the job. */
export function jobProgress(pool: Pool, jobId: string, log: Logger): Progress {
  let last = 0;
  return (fraction, note) => {
    const now = Date.now();
    if (now - last < INTERVAL_MS) return;
    last = now;
    pool
      .query(sql('jobs/report_progress'), [jobId, Math.min(1, Math.max(0, fraction)), note])
      .catch(error => log.debug({ err: error }, 'progress was not written'));
  };
}
