import type { Pool } from '../../shared/db.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import type { FitPayload } from '../../workers/valuation/jobs.ts';
import { refreshValuations } from '../../workers/valuation/refresh.ts';

const { signal } = new AbortController();

/** Fits the model and values the counties as the jobs would. */
export async function valueMarket(
  pool: Pool,
  payload: FitPayload = {},
): Promise<{ parcels: number; valued: number }> {
  await fitMarket(pool, payload);
  return valueCounties(pool, payload.counties);
}

/** Values counties, or all, as a whole with the model that there is. */
export async function valueCounties(
  pool: Pool,
  counties?: readonly number[],
): Promise<{ parcels: number; valued: number }> {
  const { rows } = await pool.query<{ fips: number }>('select fips from county_serials order by fips');
  const total = { parcels: 0, valued: 0 };
  for (const fips of counties ?? rows.map(row => row.fips)) {
    const { parcels, valued } = await valueCounty(pool, fips, { signal });
    total.parcels += parcels;
    total.valued += valued;
  }
  return total;
}

export const refresh = (pool: Pool, stop: AbortSignal = signal) => refreshValuations(pool, stop);

/** Every valuation as it is stored, by parcel, apart from when it was computed. */
export async function storedValuations(pool: Pool): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; row: string }>(
    "select property_id as id, (to_jsonb(v) - 'computed_at')::text as row from valuations v order by property_id",
  );
  return new Map(rows.map(({ id, row }) => [id, row]));
}

/** What waits to be valued: 'market', 'county 33019', 'place'. */
export async function valuationMarks(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ mark: string }>(
    `select case when fips = 0 then 'market' when fips is null then 'place' else 'county ' || fips end as mark
     from valuations_dirty order by 1`,
  );
  return rows.map(({ mark }) => mark);
}
