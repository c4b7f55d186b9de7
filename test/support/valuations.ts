import { enqueueValuations } from '../../workers/valuation/enqueue-valuations.ts';
import { estimateCounties } from '../../workers/valuation/value-all.ts';
import { valueCounty } from '../../workers/valuation/value-county.ts';
import type { TestDb } from './test-db.ts';

const { signal } = new AbortController();

type Valued = { parcels: number; valued: number };

/** Values all counties, or one, as the jobs would. */
export async function valueMarket(
  pool: TestDb,
  { fips, asOf }: { fips?: number; asOf?: string } = {},
): Promise<Valued> {
  if (fips !== undefined) return valueCounty(pool, { fips, asOf }, { signal });
  return doJobs(pool, (await estimateCounties(pool, asOf, { signal })).jobs);
}

/** Runs the jobs that a change triggers. @returns the counties that were valued */
export async function refresh(pool: TestDb): Promise<number[]> {
  const marked = await valuationMarks(pool);
  await doJobs(pool, await enqueueValuations(pool));
  return marked;
}

async function doJobs(pool: TestDb, jobs: readonly string[]): Promise<Valued> {
  const { rows } = await pool.query<{ payload: { fips: number; asOf?: string } }>(
    'select payload from jobs where id = any ($1) order by payload',
    [jobs],
  );
  const total = { parcels: 0, valued: 0 };
  for (const { payload } of rows) {
    const { parcels, valued } = await valueCounty(pool, payload, { signal });
    total.parcels += parcels;
    total.valued += valued;
  }
  // Marks the jobs as a worker would.
  await pool.query("update jobs set status = 'done' where id = any ($1)", [jobs]);
  return total;
}

/** Every stored valuation by parcel, without the time when it was computed. */
export async function storedValuations(pool: TestDb): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; row: string }>(
    "select property_id as id, (to_jsonb(v) - 'computed_at')::text as row from valuations v order by property_id",
  );
  return new Map(rows.map(({ id, row }) => [id, row]));
}

/** Counties waiting to be valued. */
export async function valuationMarks(pool: TestDb): Promise<number[]> {
  const { rows } = await pool.query<{ fips: number }>(
    'select distinct fips from valuations_dirty order by 1',
  );
  return rows.map(({ fips }) => fips);
}
