import { setTimeout as sleep } from 'node:timers/promises';
import { PlatError } from '../../shared/platform/errors.ts';
import { enqueue, getJob } from '../../shared/platform/queue/jobs.ts';
import { computeAssemblagesJob } from '../../workers/land/compute-assemblages-job.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, withBenchDatabase } from './bench.ts';
import { figure } from './filter.ts';
import { type County, seedCounties } from './filter-county.ts';
import { hasEnded, residentMb, startWorker, stopWorker } from './worker.ts';

const PARCELS = 200_000;
const QUICK_PARCELS = 5_000;
const MAX_PEAK_MB = 400;
const CHECK_MS = 200;

/**
 * Measures the memory of a worker process that computes the assemblages of one large county for the first
 * time, so that each of them is a change.
 */
export function bench(options: BenchOptions): Promise<BenchResult> {
  const parcels = options.quick ? QUICK_PARCELS : PARCELS;
  const county: County = { fips: 19_153, parcels, west: -940_000_000 };
  return withBenchDatabase(options, async (url, pool) => {
    options.note(`  writing a county of ${parcels} parcels`);
    await seedCounties(pool, [county]);
    await seedOwners(pool, county);
    const worker = await startWorker(url);
    try {
      const idle = await residentMb(worker);
      const scope = { fips: county.fips };
      const { id } = await enqueue(pool, computeAssemblagesJob, { scope });
      const begin = performance.now();
      for (;;) {
        const job = await getJob(pool, id);
        const peak = await residentMb(worker);
        if (job.status === 'failed' || job.attempts > 1 || hasEnded(worker))
          throw new PlatError('bench', `The worker did not do the job: ${job.error}.`);
        if (job.status === 'done') {
          const { grouped, changed } = job.result as { grouped: number; changed: number };
          const seconds = ((performance.now() - begin) / 1000).toFixed(1);
          return judged(
            {
              name: `peak memory of a worker that finds the assemblages of ${figure(parcels)} parcels`,
              reference: '',
              value: peak,
              unit: 'MB',
              details: { 'idle, MB': Math.round(idle), grouped, changed, seconds },
            },
            { most: MAX_PEAK_MB },
          );
        }
        await sleep(CHECK_MS);
      }
    } finally {
      await stopWorker(worker);
    }
  });
}

/** Gives 35% of the parcels the owner of the previous one, and 5% one of the owners of about 100 parcels. */
async function seedOwners(pool: TestDb, { fips, parcels }: County): Promise<void> {
  await pool.query(
    `update parcel_filters f set owner_key = md5(owner)::uuid
     from (
       select property_id, case when u < 50 then 'portfolio ' || u2 % ($2::int / 2000 + 1)
         else (sum(case when u >= 400 then 1 else 0 end) over (order by property_id))::text end as owner
       from parcel_filters, lateral (select (hashint8(property_id) & 1048575) % 1000) h (u),
         lateral (select hashint8extended(property_id, 1) & 1048575) h2 (u2)
       where fips = $1::int
     ) o
     where f.fips = $1::int and f.property_id = o.property_id`,
    [fips, parcels],
  );
  await pool.query('vacuum analyze parcel_filters');
}
