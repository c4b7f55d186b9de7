import { encodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import type { LandKernels } from '../../shared/land/compute-land.ts';
import { computeLandChunk, type LandChunk } from '../../workers/land/compute-land-chunk.ts';
import { type Planned, type PlanPayload, planAttributes } from '../../workers/land/plan-attributes.ts';
import { COUNTING_KERNELS } from '../support/land.ts';
import { insertParcels, square, type TestParcel } from '../support/parcels.ts';
import type { TestDb } from '../support/test-db.ts';

export const FIPS = 33_019;
export const COUNTY = FIPS * 1e8;
/** Where lot 0 lies. */
export const [LON, LAT] = [-72.15, 43.2];
/** All lots lie in it. */
export const EVERYWHERE: [number, number, number, number] = [LON - 1, LAT - 1, LON + 1, LAT + 1];

/** The n-th lot of rows of 100: squares of 0.001 degrees, 0.0002 apart. */
export function lotOf(n: number): MultiPolygon {
  return square(LON + 0.0012 * (n % 100), LAT + 0.0012 * Math.floor(n / 100));
}

/** As an ingestion would: two boundaries of one digest are the same. */
function shapeHash(boundary: MultiPolygon): string {
  const digest = Buffer.alloc(16);
  Buffer.from(encodeBoundary(boundary)).forEach((byte, i) => {
    digest[i % 16] = (31 * digest[i % 16]! + byte) & 0xff;
  });
  return digest.toString('hex');
}

export function parcelOf(n: number, fips = FIPS): TestParcel {
  const boundary = lotOf(n);
  return { property_id: fips * 1e8 + n + 1, boundary, shape_hash: shapeHash(boundary) };
}

export async function insertLots(pool: TestDb, numbers: readonly number[]): Promise<void> {
  await insertParcels(
    pool,
    numbers.map(n => parcelOf(n)),
  );
}

const signal = new AbortController().signal;

export function plan(
  pool: TestDb,
  payload: PlanPayload = { scope: { dirty: true } },
  chunkParcels?: number,
): Promise<Planned> {
  return planAttributes(pool, payload, { signal, ...(chunkParcels === undefined ? {} : { chunkParcels }) });
}

export async function openChunks(pool: TestDb): Promise<LandChunk[]> {
  const { rows } = await pool.query<{ payload: LandChunk }>(
    "select payload from jobs where name = 'attributes.chunk' and status in ('queued', 'running') order by payload ->> 'chunk'",
  );
  return rows.map(row => row.payload);
}

/** As if the jobs of these chunks had ended. */
export async function endJobs(pool: TestDb, status: 'done' | 'failed' = 'done'): Promise<void> {
  await pool.query("update jobs set status = $1, finished_at = now() where name = 'attributes.chunk'", [
    status,
  ]);
}

export function compute(pool: TestDb, chunk: LandChunk, kernels: LandKernels = COUNTING_KERNELS) {
  return computeLandChunk(pool, chunk, kernels, { signal });
}

/** Plans what is marked and computes it, as workers would. */
export async function settle(pool: TestDb, kernels?: LandKernels): Promise<void> {
  await plan(pool);
  for (const chunk of await openChunks(pool)) await compute(pool, chunk, kernels);
  await endJobs(pool);
}

export type Attributes = {
  elevation_runs: number[] | null;
  roads_runs: number[] | null;
  wetlands_runs: number[] | null;
  flood_runs: number[] | null;
  mean_elevation_m: number | null;
  highway_frontage_ft: number | null;
  local_frontage_ft: number | null;
  landlocked: boolean | null;
  wetlands_percent: number | null;
  flood_zone_percent: number | null;
};

export async function attributesOf(pool: TestDb, n: number): Promise<Attributes | undefined> {
  const { rows } = await pool.query<Attributes>('select * from parcel_attributes where property_id = $1', [
    COUNTY + n + 1,
  ]);
  // bigint[] arrives as texts.
  const row = rows[0] as Record<string, unknown> | undefined;
  if (row === undefined) return undefined;
  for (const kind of ['elevation', 'roads', 'wetlands', 'flood'])
    row[`${kind}_runs`] = (row[`${kind}_runs`] as string[] | null)?.map(Number) ?? null;
  return row as Attributes;
}
