import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Db } from '../../shared/platform/db.ts';
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
  begin(db: Db): Promise<void>;
  /** A stopped process keeps its connections, and through them every lock, transaction and COPY. */
  endDeadWorkers(db: Db): Promise<void>;
  end(db: Db): Promise<void>;
};

/** @param lockMs JOB_LOCK_MS: after this time without a sign of life a worker counts as dead */
export function createLease(lockMs: number, renewals: number, log: Logger): WorkerLease {
  const id = randomBytes(6).toString('hex');
  let timer: NodeJS.Timeout | undefined;
  // A worker that was away itself can't tell who is dead: after a restart of the database all leases have run
  // out, and the first to be back would end the others.
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
      log.debug({ err: error }, "the worker's lease was not renewed");
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
        log.warn({ worker: name, sessions }, 'a worker died; its database sessions were ended');
    },
    async end(db) {
      clearInterval(timer);
      await db.run('queue/delete_worker', { id }).catch(error => {
        // The lease expires anyway.
        log.debug({ err: error, code: errorCode(error) }, "the worker's lease was not given up");
      });
    },
  };
}
