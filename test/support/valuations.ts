import type { Pool } from '../../shared/db.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import type { FitPayload } from '../../workers/valuation/jobs.ts';

/** Fits the model and values the counties as the jobs would. */
export async function valueMarket(pool: Pool, payload: FitPayload = {}): Promise<{ parcels: number; valued: number }> {
  await fitMarket(pool, payload);
  const { signal } = new AbortController();
  const { rows } = await pool.query<{ fips: number }>('select fips from county_serials order by fips');
  const total = { parcels: 0, valued: 0 };
  for (const { fips } of payload.counties?.map(fips => ({ fips })) ?? rows) {
    const { parcels, valued } = await valueCounty(pool, fips, { signal });
    total.parcels += parcels;
    total.valued += valued;
  }
  return total;
}
