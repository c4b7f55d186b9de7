import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import { enqueue } from '../../shared/jobs.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { isLateOutlier } from '../../shared/kernels/valuation/latecomers.ts';
import { type Change, valueReached } from './county.ts';
import { valuationCounty, valuationFit } from './jobs.ts';
import { lockModel, readModel } from './model-store.ts';

type Mark = { id: number; fips: number | null; lon: number | null; lat: number | null; acres: number | null };
type Place = Mark & Change;
type Sale = { id: string; fips: number; sold_date: string; acres: number; price: number };

export type Refreshed = {
  /** Parcels that were valued anew here. */
  parcels: number;
  /** Jobs that do the rest. */
  jobs: string[];
};

/** Marks of the whole market. */
const MARKET = 0;

/**
 * Deals with what merges have marked. A mark goes when what it asks for is done: those of places here, those of counties
 * and of the market with their jobs. Killed before that, the next refresh finds it.
 */
export async function refreshValuations(pool: Pool, signal: AbortSignal): Promise<Refreshed> {
  const { rows: marks } = await pool.query<Mark>(sql('valuation/list_marks'));
  if (marks.length === 0) return { parcels: 0, jobs: [] };
  const places = marks.filter((mark): mark is Place => mark.fips === null);
  const fit = marks.some(({ fips }) => fips === MARKET) || !(await judgeSales(pool, places));
  if (fit) return { parcels: 0, jobs: [(await enqueue(pool, valuationFit, {})).id] };

  const whole = new Set(marks.flatMap(({ fips }) => fips ?? []));
  const jobs: string[] = [];
  for (const fips of whole) jobs.push((await enqueue(pool, valuationCounty, { fips })).id);

  let parcels = 0;
  for (const fips of await reachedCounties(pool, places)) {
    signal.throwIfAborted();
    // What a whole county is owed covers what its parcels are.
    if (!whole.has(fips)) parcels += (await valueReached(pool, fips, places, { signal })).parcels;
  }
  await pool.query(sql('valuation/clear_marks'), [places.map(({ id }) => id)]);
  return { parcels, jobs };
}

async function reachedCounties(pool: Pool, places: readonly Place[]): Promise<number[]> {
  const { rows } = await pool.query<{ fips: number }>(sql('valuation/list_reached_counties'), [
    places.map(({ lon }) => lon),
    places.map(({ lat }) => lat),
  ]);
  return rows.map(({ fips }) => fips);
}

/** Says which of the sales at these places are outliers of the model. @returns false when there is no model */
function judgeSales(pool: Pool, places: readonly Place[]): Promise<boolean> {
  return transaction(pool, async (client: Client) => {
    await lockModel(client);
    const model = await readModel(client);
    if (model === null) return false;
    const { rows: sales } = await client.query<Sale>(sql('valuation/list_marked_sales'), [
      places.map(({ lon }) => lon),
      places.map(({ lat }) => lat),
      places.map(({ acres }) => acres),
    ]);
    const outliers = sales.filter(({ fips, sold_date, acres, price }) =>
      isLateOutlier(model.windows, dayOf(model.asOf), { county: fips, day: dayOf(sold_date), acres, price }),
    );
    await client.query(sql('valuation/judge_sales'), [idsOf(sales), idsOf(outliers)]);
    return true;
  });
}

const idsOf = (sales: readonly Sale[]) => sales.map(({ id }) => id);
