import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, sql } from '../../../shared/db.ts';
import { enqueue, patiently } from '../../../shared/jobs.ts';
import { attributesPlan } from '../../attributes/jobs.ts';
import { print } from '../common/output.ts';

type DirtyState = { waiting: number; open: boolean };

/** The sample's take some ten seconds on two cores. */
export const SAMPLE_PATIENCE_MS = 100_000;
/** A start that ingests nothing does not wait for what may be a state's parcels: the workers go on beside it. */
export const PATIENCE_MS = 3_000;

/**
 * Has the workers compute the land attributes that are due, those of the sample or those that an interrupted start has left,
 * and waits for them that long.
 */
export async function finishAttributes(
  pool: Pool,
  deliver: (ids: string[]) => Promise<void>,
  signal: AbortSignal,
  patienceMs: number,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let asked = false; ; ) {
    const { rows } = await patiently(() => pool.query<DirtyState>(sql('attributes/get_dirty_state')), signal);
    const { waiting, open } = rows[0]!;
    if (waiting === 0) return;
    if (!open) {
      if (asked) return print('Some land attributes could not be computed: `npx plat status` tells more.');
      await deliver([(await enqueue(pool, attributesPlan, { scope: { dirty: true } })).id]);
      asked = true;
    }
    if (Date.now() > deadline) {
      const parcels = waiting.toLocaleString('en-US');
      return print(`The workers go on computing the land attributes of ${parcels} parcels.`);
    }
    await sleep(100, undefined, { signal });
  }
}
