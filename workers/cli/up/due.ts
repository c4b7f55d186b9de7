import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, sql } from '../../../shared/db.ts';
import { enqueue, patiently } from '../../../shared/jobs.ts';
import { MODEL_VERSION } from '../../../shared/kernels/valuation/model.ts';
import { attributesPlan } from '../../attributes/jobs.ts';
import { marketRecompute } from '../../market/jobs.ts';
import { valuationAll } from '../../valuation/jobs.ts';
import { print } from '../common/output.ts';

/** The sample's attributes take some ten seconds on two cores. */
const SAMPLE_PATIENCE_MS = 100_000;
/** A start that ingests nothing does not wait for what may be a state's parcels: the workers go on beside it. */
const PATIENCE_MS = 3_000;

type Deliver = (ids: string[]) => Promise<void>;

/** Work that a merge has left due. */
type Due = {
  /** Whether a job that does it is on its way. */
  open: boolean;
  /** @returns the job's id */
  enqueue(): Promise<string>;
  /** What is said when this start waits no longer. */
  goesOn: string;
};

/**
 * Has the workers do what ingestions have left due, those of the sample or of a start that was interrupted: statistics to their end,
 * land attributes and valuations for as long as a start should take.
 */
export async function finishDue(
  pool: Pool,
  deliver: Deliver,
  signal: AbortSignal,
  ingested: boolean,
): Promise<void> {
  const patienceMs = ingested ? SAMPLE_PATIENCE_MS : PATIENCE_MS;
  await finish('Some statistics could not be computed', () => dueStatistics(pool), deliver, signal);
  await finishAttributes(pool, deliver, signal, patienceMs);
  await finishValuations(pool, deliver, signal, { patienceMs, all: ingested });
}

export function finishAttributes(
  pool: Pool,
  deliver: Deliver,
  signal: AbortSignal,
  patienceMs: number,
): Promise<void> {
  const failed = 'Some land attributes could not be computed';
  return finish(failed, () => dueAttributes(pool), deliver, signal, patienceMs);
}

export function finishValuations(
  pool: Pool,
  deliver: Deliver,
  signal: AbortSignal,
  { patienceMs, all }: { patienceMs: number; all: boolean },
): Promise<void> {
  return finish(
    'Some parcels could not be valued',
    asked => dueValuations(pool, all && !asked),
    deliver,
    signal,
    patienceMs,
  );
}

/** Waits until nothing is due, asking for a job once where none is on its way. */
async function finish(
  failed: string,
  look: (asked: boolean) => Promise<Due | undefined>,
  deliver: Deliver,
  signal: AbortSignal,
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let asked = false; ; ) {
    const due = await patiently(() => look(asked), signal);
    if (due === undefined) return;
    if (!due.open) {
      if (asked) return print(`${failed}: \`npx plat status\` tells more.`);
      await deliver([await due.enqueue()]);
      asked = true;
    }
    if (Date.now() > deadline) return print(due.goesOn);
    await sleep(100, undefined, { signal });
  }
}

async function dueStatistics(pool: Pool): Promise<Due | undefined> {
  const { rows } = await pool.query<{ due: boolean; open: boolean }>(sql('market/get_dirty_state'));
  const { due, open } = rows[0]!;
  if (!due) return undefined;
  return {
    open,
    enqueue: async () => (await enqueue(pool, marketRecompute, { scope: { dirty: true } })).id,
    goesOn: '',
  };
}

async function dueAttributes(pool: Pool): Promise<Due | undefined> {
  const { rows } = await pool.query<{ waiting: number; open: boolean }>(sql('attributes/get_dirty_state'));
  const { waiting, open } = rows[0]!;
  if (waiting === 0) return undefined;
  return {
    open,
    enqueue: async () => (await enqueue(pool, attributesPlan, { scope: { dirty: true } })).id,
    goesOn: `The workers go on computing the land attributes of ${waiting.toLocaleString('en-US')} parcels.`,
  };
}

/** @param all every county once more: in a first run counties were valued before others had their sales */
async function dueValuations(pool: Pool, all: boolean): Promise<Due | undefined> {
  const { rows } = await pool.query<{ due: boolean; unfitted: boolean; open: boolean }>(
    sql('valuation/get_dirty_state'),
    [MODEL_VERSION],
  );
  const { due, unfitted, open } = rows[0]!;
  if (!due && !unfitted && !all && !open) return undefined;
  return {
    open,
    enqueue: async () => (await enqueue(pool, valuationAll, {})).id,
    goesOn: 'The workers go on valuing parcels by the sales around them.',
  };
}
