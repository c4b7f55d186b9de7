import { z } from 'zod';
import type { Db } from '../../shared/platform/db.ts';
import { countyCode, enqueueAll, RETRY } from '../../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { defineJob } from '../queue/job.ts';
import { enqueueValuations } from '../valuation/enqueue-valuations.ts';

/** One county, every county, or only the counties that merges have marked. */
const scope = z.union([
  z.strictObject({ fips: countyCode }),
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ dirty: z.literal(true) }),
]);

/** Computes a county's assemblages, or enqueues a job for each county. */
export const computeAssemblagesJob = defineJob({
  name: 'assemblages',
  queue: 'attributes',
  payload: z.strictObject({ scope }),
  key: ({ scope: of }) => ('fips' in of ? fiveDigits(of.fips) : 'all' in of ? 'all' : 'dirty'),
  ...RETRY,
  async run({ db, progress, signal, deliver }, { scope: of }) {
    if (!('fips' in of)) {
      const jobs = await enqueueAssemblages(db, 'all' in of ? 'land/list_counties' : undefined);
      await deliver(jobs);
      return { rows: jobs.length, jobs };
    }
    const { computeAssemblages } = await import('./compute-assemblages.ts');
    const computed = await computeAssemblages(db, of.fips, {
      signal,
      progress: share => progress(share, 'grouping'),
    });
    // Changed assemblages need new values as a whole.
    if (computed.changed > 0) await deliver(await enqueueValuations(db));
    return { ...computed, rows: computed.parcels };
  },
});

/**
 * Enqueues a job for each marked county that doesn't already have a waiting one.
 * @param counties the statement that lists the counties
 * @returns the jobs' ids
 */
export async function enqueueAssemblages(db: Db, counties = 'land/list_assemblage_marks'): Promise<string[]> {
  const rows = await db.run<{ fips: number }>(counties);
  return enqueueAll(
    db,
    computeAssemblagesJob,
    rows.map(scope => ({ scope })),
  );
}
