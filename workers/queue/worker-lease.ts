import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Db } from '../../shared/platform/db.ts';
import { errorCode } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';

/** Database sessions of a worker are named after its lease, so that other workers can end them. */
export const WORKER_SESSIONS = 'plat worker ';

/** The worker's name in logs and status output. */
export const WORKER_NAME = `process ${process.pid} on ${hostname()}`;

export type WorkerLease = {
  id: string;
  applicationName: string;
  /** Renews the lease immediately, then regularly until `end`. */
  begin(db: Db): Promise<void>;
  /**
   * Ends the sessions of dead workers, because a suspended process keeps its connections, with their locks,
   * transactions, and COPYs.
   */
  endDeadWorkers(db: Db): Promise<void>;
  end(db: Db): Promise<void>;
};

/** @param lockMs JOB_LOCK_MS. A worker that hasn't renewed its lease for this long is considered dead */
export function createLease(lockMs: number, renewals: number, log: Logger): WorkerLease {
  const id = randomBytes(6).toString('hex');
  let timer: NodeJS.Timeout | undefined;
  // A worker whose own lease expired can't tell which others are dead. After a database restart, all leases
  // have expired, and the first worker to reconnect would end the others.
  let isUnbroken = false;

  async function renew(db: Db): Promise<void> {
    try {
      const rows = await db.run<{ unbroken: boolean }>('queue/renew_worker', {
        id,
        name: WORKER_NAME,
        lock_ms: lockMs,
      });
      isUnbroken = rows[0]!.unbroken;
    } catch (error) {
      isUnbroken = false;
      log.debug({ err: error }, "could not renew the worker's lease");
    }
  }

  return {
    id,
    applicationName: `${WORKER_SESSIONS}${id}`,
    async begin(db) {
      await renew(db);
      timer = setInterval(() => renew(db), lockMs / renewals);
    },
    async endDeadWorkers(db) {
      await renew(db);
      if (!isUnbroken) return;
      const rows = await db.run<{ name: string; sessions: number }>('queue/end_dead_workers', {
        sessions: WORKER_SESSIONS,
      });
      for (const { name, sessions } of rows)
        log.warn({ worker: name, sessions }, 'a worker died; ended its database sessions');
    },
    async end(db) {
      clearInterval(timer);
      await db.run('queue/delete_worker', { id }).catch(error => {
        // This is not an error, because the lease expires anyway.
        log.debug({ err: error, code: errorCode(error) }, "could not release the worker's lease");
      });
    },
  };
}
