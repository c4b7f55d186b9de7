import { areaSqM, sqMToAcres } from '../../shared/geo/geodesic-area.ts';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import { countCoverage, rewriteWords } from '../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import { measureBoundary } from '../../workers/ingest/kinds/assessor/stage-boundary.ts';
import type { TestDb } from './test-db.ts';

/**
 * A parcel on the roll, as readers see it: columns of parcels and parcel_filters by name. Columns that are
 * absent are unknown.
 */
export type TestParcel = {
  property_id: number;
  boundary?: MultiPolygon;
} & Record<string, unknown>;

/** The ring of a box, counterclockwise from the southwest corner. */
export const boxRing = (west: number, south: number, east: number, north: number): Position[] => [
  ...([
    [west, south],
    [east, south],
  ] as Position[]),
  ...([
    [east, north],
    [west, north],
    [west, south],
  ] as Position[]),
];

/** A square around a point. Its side is in degrees. */
export function square(lon: number, lat: number, side = 0.001): MultiPolygon {
  const half = side / 2;
  return [[boxRing(lon - half, lat - half, lon + half, lat + half)]];
}

/**
 * Writes parcels, their rows for filters and searches, and their owners' portfolios, as an ingestion stores
 * them.
 */
export async function insertParcels(pool: TestDb, parcels: readonly TestParcel[]): Promise<void> {
  const rows = parcels.map(complete);
  await ensurePartitions(pool, [...new Set(rows.map(row => row.fips))]);
  for (const table of ['parcels', 'parcel_filters', 'owner_parcels']) {
    const { rows: columns } = await pool.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const names = columns.map(column => column.name).join(', ');
    const condition = table === 'owner_parcels' ? 'where owner_key is not null' : '';
    await pool.query(
      `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, $1) ${condition}`,
      [JSON.stringify(rows)],
    );
  }
  await derive(
    pool,
    rows.map(row => row.property_id as number),
  );
}

/** Writes estimates of price and price per acre, with placeholders for the other figures. */
export async function insertEstimates(
  pool: TestDb,
  estimates: ReadonlyMap<number, readonly [price: number, ppa: number]>,
): Promise<void> {
  const figures = [...estimates.values()];
  await pool.query(
    `insert into valuations (fips, property_id, mean_price, mean_ppa, mean_adjusted_price, mean_adjusted_ppa, gini_index,
       confidence_score, low_price, high_price, out_of_support, comps, as_of, model_version)
     select id / 100000000, id, price, ppa, price, ppa, 0, 0, price, price, false, '', '2025-01-01', 'test'
     from unnest($1::bigint[], $2::float8[], $3::float8[]) as t (id, price, ppa)`,
    [[...estimates.keys()], figures.map(([price]) => price), figures.map(([, ppa]) => ppa)],
  );
}

type TestAssemblage = { property_id: number; assemblage_id?: number; parcels: number; acres: number };

/** Writes the assemblages that parcels belong to. All of their lots touch. */
export async function insertAssemblages(pool: TestDb, rows: readonly TestAssemblage[]): Promise<void> {
  await pool.query(
    `insert into assemblages (fips, property_id, assemblage_id, counties, parcels, acres, touching_parcels, touching_acres)
     select property_id / 100000000, property_id, coalesce(assemblage_id, property_id), array[property_id / 100000000]::int[],
       parcels, acres, parcels, acres
     from jsonb_populate_recordset(null::assemblages, $1)`,
    [JSON.stringify(rows)],
  );
}

/** Updates the county tables that a merge derives from parcels. */
async function derive(pool: TestDb, propertyIds: readonly number[]): Promise<void> {
  const counties = countiesOf(propertyIds);
  await countCoverage(pool, counties);
  await rewriteWords(pool, counties);
}

const countiesOf = (propertyIds: readonly number[]) => [
  ...new Set(propertyIds.map(id => Math.floor(id / 1e8))),
];

/** Takes parcels off the roll. */
export async function retireParcels(pool: TestDb, propertyIds: readonly number[]): Promise<void> {
  await pool.query('update parcels set retired_at = now(), retired_run = 2 where property_id = any ($1)', [
    propertyIds,
  ]);
  await pool.query('delete from parcel_filters where property_id = any ($1)', [propertyIds]);
  await pool.query('delete from owner_parcels where property_id = any ($1)', [propertyIds]);
  await derive(pool, propertyIds);
}

function complete({ boundary, ...parcel }: TestParcel): Record<string, unknown> & { fips: number } {
  const row: Record<string, unknown> & { fips: number } = {
    feed_id: 1,
    source_key: String(parcel.property_id),
    created_run: 1,
    changed_run: 1,
    row_version: 0,
    ...parcel,
    fips: Math.floor(parcel.property_id / 1e8),
  };
  if (typeof parcel.apn === 'string')
    row.apn_normalized ??= parcel.apn.replaceAll(/[ .-]/g, '').toUpperCase();
  if (boundary !== undefined) {
    const staged = measureBoundary(boundary, sqMToAcres(areaSqM(boundary)))!;
    row.location = staged.location;
    row.extent = staged.extent;
    row.boundary = `\\x${Buffer.from(staged.boundary).toString('hex')}`;
    if (row.calculated_acres === undefined) row.calculated_acres = staged.acres;
  }
  row.effective_acres ??= row.acres ?? row.calculated_acres;
  return row;
}
