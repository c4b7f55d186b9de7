import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, sql } from '../../../shared/db.ts';
import { enqueue, patiently } from '../../../shared/jobs.ts';
import { MODEL_VERSION } from '../../../shared/kernels/valuation/model.ts';
import { enqueueMarked, valuationFit } from '../../valuation/jobs.ts';
import { print } from '../common/output.ts';

type DirtyState = { due: boolean; unfitted: boolean; open: boolean };

/**
 * Has the workers value the parcels that are due, those of the sample or those that an interrupted start has left, and
 * waits for them that long.
 * @param all every county once more: after a first run counties were valued before others had their sales
 */
export async function finishValuations(
  pool: Pool,
  deliver: (ids: string[]) => Promise<void>,
  signal: AbortSignal,
  { patienceMs, all }: { patienceMs: number; all: boolean },
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let asked = false; ; ) {
    const { rows } = await patiently(
      () => pool.query<DirtyState>(sql('valuation/get_dirty_state'), [MODEL_VERSION]),
      signal,
    );
    const { due, unfitted, open } = rows[0]!;
    const wanted = due || unfitted || (all && !asked);
    if (!wanted && !open) return;
    if (!open) {
      if (asked) return print('Some parcels could not be valued: `npx plat status` tells more.');
      const job = unfitted || all ? (await enqueue(pool, valuationFit, {})).id : await enqueueMarked(pool);
      await deliver([job]);
      asked = true;
    }
    if (Date.now() > deadline) return print('The workers go on valuing parcels by the sales around them.');
    await sleep(100, undefined, { signal });
  }
}
