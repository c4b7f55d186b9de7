import { type Pool, sql, transaction } from '../../shared/db.ts';
import { enqueue } from '../../shared/jobs.ts';
import { countyExtent } from '../../shared/regions/county-polygons.ts';
import { farthestReachM, grown } from './around.ts';
import { type Parcels, valueParcels } from './county.ts';
import { valuationCounty, valuationFit } from './jobs.ts';
import { readModel, type StoredModel } from './model-store.ts';

type Mark = { id: number; fips: number | null; lon: number | null; lat: number | null; acres: number | null };
type Point = { lon: number; lat: number; acres: number };
type Reached = { fips: number; property_id: number; lon: number; lat: number; acres: number };

export type Refreshed = {
  /** Parcels that were valued anew here. */
  parcels: number;
  /** Jobs that do the rest. */
  jobs: string[];
};

/** Marks of the whole market. */
const MARKET = 0;
/** Parcels stand beyond their county's simplified outline by less than this. */
const OUTLINE_M = 10_000;

/**
 * Deals with what merges have marked. Marks go when what they ask for is done, or enqueued in the same transaction; killed
 * before that, the next refresh finds them.
 */
export async function refreshValuations(pool: Pool, signal: AbortSignal): Promise<Refreshed> {
  const { rows: marks } = await pool.query<Mark>(sql('valuation/list_marks'));
  if (marks.length === 0) return { parcels: 0, jobs: [] };
  const model = await readModel(pool);
  if (model === null || marks.some(({ fips }) => fips === MARKET)) {
    const jobs = await transaction(pool, async client => {
      await clear(client, marks);
      return [(await enqueue(client, valuationFit, {})).id];
    });
    return { parcels: 0, jobs };
  }
  const whole = marks.filter(({ fips }) => fips !== null);
  const counties = [...new Set(whole.map(({ fips }) => fips!))];
  const jobs = await transaction(pool, async client => {
    await clear(client, whole);
    const ids: string[] = [];
    for (const fips of counties) ids.push((await enqueue(client, valuationCounty, { fips })).id);
    return ids;
  });
  const points = marks.filter((mark): mark is Mark & Point => mark.fips === null);
  const parcels = await valueReached(pool, model, points, new Set(counties), signal);
  await clear(pool, points);
  return { parcels, jobs };
}

async function clear(db: Pick<Pool, 'query'>, marks: readonly Mark[]): Promise<void> {
  await db.query(sql('valuation/clear_marks'), [marks.map(({ id }) => id)]);
}

async function valueReached(
  pool: Pool,
  { parameters }: StoredModel,
  points: readonly Point[],
  /** Counties that are valued as a whole anyway. */
  whole: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<number> {
  if (points.length === 0) return 0;
  const { rows: counties } = await pool.query<{ fips: number }>(sql('valuation/list_counties'));
  const asked: (Point & { fips: number; metres: number })[] = [];
  for (const { fips } of counties) {
    if (whole.has(fips)) continue;
    const metres = farthestReachM(parameters, fips);
    const extent = countyExtent(fips);
    const box = extent && grown(extent, metres + OUTLINE_M);
    for (const point of points) {
      const [lon, lat] = [point.lon / 1e7, point.lat / 1e7];
      const near = !box || (lon >= box[0] && lat >= box[1] && lon <= box[2] && lat <= box[3]);
      if (near) asked.push({ ...point, fips, metres });
    }
  }
  const { rows } = await pool.query<Reached>(sql('valuation/list_reached_parcels'), [
    asked.map(({ lon }) => lon),
    asked.map(({ lat }) => lat),
    asked.map(({ acres }) => acres),
    asked.map(({ fips }) => fips),
    asked.map(({ metres }) => metres),
  ]);
  const byCounty = new Map<number, Reached[]>();
  for (const row of rows) {
    const own = byCounty.get(row.fips);
    if (own) own.push(row);
    else byCounty.set(row.fips, [row]);
  }
  for (const [fips, own] of byCounty) await valueParcels(pool, fips, inColumns(own), { signal });
  return rows.length;
}

function inColumns(rows: readonly Reached[]): Parcels {
  return {
    id: Float64Array.from(rows, row => row.property_id),
    lon: Float64Array.from(rows, row => row.lon),
    lat: Float64Array.from(rows, row => row.lat),
    acres: Float64Array.from(rows, row => row.acres),
  };
}
