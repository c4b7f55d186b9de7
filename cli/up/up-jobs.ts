import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Db } from '../../shared/platform/db.ts';
import { enqueue, retryWhileUnreachable } from '../../shared/platform/queue/jobs.ts';
import { planLandAttributesJob } from '../../workers/land/plan-land-attributes-job.ts';
import { recomputeMarketJob } from '../../workers/market/recompute-market-job.ts';
import { valueAllCountiesJob } from '../../workers/valuation/value-all-counties-job.ts';
import { print } from '../common/cli-output.ts';

/** The sample's attributes take some ten seconds on two cores. */
const SAMPLE_PATIENCE_MS = 100_000;
/** A start that ingests nothing doesn't wait for a state's parcels. The workers finish them. */
const PATIENCE_MS = 3_000;

export type StartupContext = { db: Db; deliver(ids: string[]): Promise<void>; signal: AbortSignal };

/** Work that a merge has left due, whether a job does it already, and the job that does. */
type Due = {
  /** @returns how much waits, 0 for nothing */
  look(db: Db): Promise<{ waiting: number; open: boolean }>;
  ask(db: Db): Promise<{ id: string }>;
  failed: string;
  goesOn(waiting: number): string;
};

const STATISTICS: Due = {
  async look(db) {
    const rows = await db.run<{ due: boolean; open: boolean }>('market/get_dirty_state');
    return { waiting: Number(rows[0]!.due), open: rows[0]!.open };
  },
  ask: db => enqueue(db, recomputeMarketJob, { scope: { dirty: true } }),
  failed: 'Some statistics could not be computed',
  goesOn: () => '',
};

export const ATTRIBUTE_JOBS: Due = {
  async look(db) {
    return (await db.run<{ waiting: number; open: boolean }>('land/get_dirty_state'))[0]!;
  },
  ask: db => enqueue(db, planLandAttributesJob, { scope: { dirty: true } }),
  failed: 'Some land attributes could not be computed',
  goesOn: waiting =>
    `The workers go on computing the land attributes of ${waiting.toLocaleString('en-US')} parcels.`,
};

export const VALUATION_JOBS: Due = {
  async look(db) {
    const rows = await db.run<{ due: boolean; unfitted: boolean; open: boolean }>(
      'valuation/get_dirty_state',
      { model_version: MODEL_VERSION },
    );
    const { due, unfitted, open } = rows[0]!;
    return { waiting: Number(due || unfitted || open), open };
  },
  ask: db => enqueue(db, valueAllCountiesJob, {}),
  failed: 'Some parcels could not be valued',
  goesOn: () => 'The workers go on valuing parcels by the sales around them.',
};

/** Waits for statistics to finish, and for the rest only as long as a start should take. */
export async function finishDueJobs(start: StartupContext, ingested: boolean): Promise<void> {
  const patienceMs = ingested ? SAMPLE_PATIENCE_MS : PATIENCE_MS;
  await finishJobs(STATISTICS, start, Number.POSITIVE_INFINITY);
  await finishJobs(ATTRIBUTE_JOBS, start, patienceMs);
  // In a first run counties were valued before others had their sales: every county once more.
  await finishJobs(VALUATION_JOBS, start, patienceMs, ingested);
  // They tell the price indices that statistics name.
  await finishJobs(STATISTICS, start, patienceMs);
}

/** Waits until nothing is due, and enqueues one job if none is open. @param anyway even if nothing is due */
export async function finishJobs(
  due: Due,
  { db, deliver, signal }: StartupContext,
  patienceMs: number,
  anyway = false,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let asked = false; ; ) {
    const { waiting, open } = await retryWhileUnreachable(() => due.look(db), signal);
    if (waiting === 0 && (asked || !anyway)) return;
    if (!open) {
      if (asked) return print(`${due.failed}: \`npx plat status\` tells more.`);
      await deliver([(await due.ask(db)).id]);
      asked = true;
    }
    if (Date.now() > deadline) return print(due.goesOn(waiting));
    await sleep(100, undefined, { signal });
  }
}
