import type { Db } from '../../shared/platform/db.ts';
import { enqueueAll } from '../../shared/platform/queue/jobs.ts';
import { estimateCounty } from './estimate-county.ts';
import { defaultValuationDay, type JobControl } from './value-county.ts';
import { valueCountyJob } from './value-county-job.ts';

export type EstimatesResult = { asOf: string; counties: number; jobs: string[] };

/**
 * Stores every county's own estimates, then enqueues the valuations. Estimating all counties first makes the
 * order of the valuations irrelevant.
 */
export async function estimateCounties(
  db: Db,
  asOf: string | undefined,
  { signal, progress }: JobControl,
): Promise<EstimatesResult> {
  const day = asOf ?? (await defaultValuationDay(db));
  const rows = await db.run<{ fips: number; parcels: boolean }>('valuation/list_counties');
  for (const [i, { fips }] of rows.entries()) {
    signal.throwIfAborted();
    progress?.(i / rows.length);
    await estimateCounty(db, fips, day);
  }
  return db.transaction(async tx => {
    const counties = rows.filter(({ parcels }) => parcels).map(({ fips }) => fips);
    await tx.run('valuation/mark_counties', { fips: counties });
    const payloads = counties.map(fips => ({ fips, ...(asOf !== undefined && { asOf }) }));
    const jobs = await enqueueAll(tx, valueCountyJob, payloads);
    return { asOf: day, counties: counties.length, jobs };
  });
}
