import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Pool, statement } from '../../shared/platform/db.ts';
import { errorCode } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';

/** Sessions of a worker are named after its lease, so that others can end them. */
export const WORKER_SESSIONS = 'plat worker ';

/** Who runs a job, as people see it. */
export const WORKER_NAME = `process ${process.pid} on ${hostname()}`;

export type WorkerLease = {
  id: string;
  applicationName: string;
  /** Renews the lease at once, then on its own until `end`. */
  begin(pool: Pool): Promise<void>;
  /**
   * Ends the database sessions of workers whose leases have run out: a stopped process keeps its connections,
   * and through them every lock, transaction and COPY that it was in the middle of.
   */
  endDeadWorkers(pool: Pool): Promise<void>;
  end(pool: Pool): Promise<void>;
};

/** @param lockMs JOB_LOCK_MS: after this time without a sign of life a worker counts as dead */
export function createLease(lockMs: number, renewals: number, log: Logger): WorkerLease {
  const id = randomBytes(6).toString('hex');
  let timer: NodeJS.Timeout | undefined;
  // A worker that was away can't tell which others are dead. After a restart of the database all leases have
  // expired, and the first worker to return would end the others.
  let isUnbroken = false;

  async function renew(pool: Pool): Promise<void> {
    try {
      const { rows } = await pool.query<{ unbroken: boolean }>(
        statement('queue/renew_worker', { id, name: WORKER_NAME, lock_ms: lockMs }),
      );
      isUnbroken = rows[0]!.unbroken;
    } catch (error) {
      isUnbroken = false;
      log.debug({ err: error }, "could not renew the worker's lease");
    }
  }

  return {
    id,
    applicationName: `${WORKER_SESSIONS}${id}`,
    async begin(pool) {
      await renew(pool);
      timer = setInterval(() => renew(pool), lockMs / renewals);
    },
    async endDeadWorkers(pool) {
      await renew(pool);
      if (!isUnbroken) return;
      const { rows } = await pool.query<{ name: string; sessions: number }>(
        statement('queue/end_dead_workers', { sessions: WORKER_SESSIONS }),
      );
      for (const { name, sessions } of rows)
        log.warn({ worker: name, sessions }, 'a worker died; ended its database sessions');
    },
    async end(pool) {
      clearInterval(timer);
      await pool.query(statement('queue/delete_worker', { id })).catch(error => {
        // The lease expires anyway.
        log.debug({ err: error, code: errorCode(error) }, "could not release the worker's lease");
      });
    },
  };
}
