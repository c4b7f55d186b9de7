import type { Pool } from '../../shared/db.ts';
import { valueCounty } from '../../workers/valuation/county.ts';
import { fitMarket } from '../../workers/valuation/fit.ts';
import type { FitPayload } from '../../workers/valuation/jobs.ts';

const { signal } = new AbortController();

/** Fits the model and values the counties as the jobs would. */
export async function valueMarket(
  pool: Pool,
  payload: FitPayload = {},
): Promise<{ parcels: number; valued: number }> {
  await fitMarket(pool, payload);
  return valueCounties(pool, Array.isArray(payload.counties) ? payload.counties : undefined);
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

/** Does the jobs that a change leads to: fits the model, and values the counties that are marked. @returns these */
export async function refresh(pool: Pool, asOf?: string): Promise<number[]> {
  const { jobs } = await fitMarket(pool, { counties: 'marked', asOf });
  const { rows } = await pool.query<{ fips: number }>(
    "select (payload ->> 'fips')::int as fips from jobs where id = any ($1) order by 1",
    [jobs],
  );
  const counties = rows.map(({ fips }) => fips);
  await valueCounties(pool, counties);
  return counties;
}

/** Every valuation as it is stored, by parcel, apart from when it was computed. */
export async function storedValuations(pool: Pool): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; row: string }>(
    "select property_id as id, (to_jsonb(v) - 'computed_at')::text as row from valuations v order by property_id",
  );
  return new Map(rows.map(({ id, row }) => [id, row]));
}

/** The counties that wait to be valued. */
export async function valuationMarks(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ fips: number }>(
    'select distinct fips from valuations_dirty order by 1',
  );
  return rows.map(({ fips }) => fips);
}
