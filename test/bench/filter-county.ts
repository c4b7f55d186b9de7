import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { countCoverage } from '../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import type { TestDb } from '../support/test-db.ts';
import { seedOf } from './generate/random.ts';

/**
 * A county of lots in rows from south to north, each about 66 m wide and deep, with bent sides that neighbors
 * share.
 */
export type County = {
  fips: number;
  parcels: number;
  /** The county's western edge in 1e-7 degrees. Counties do not overlap. */
  west: number;
};

/** Southern edge of all counties, and the size of a lot, in 1e-7 degrees. */
const SOUTH = 415_000_000;
const LOT_WIDTH = 8_000;
const LOT_DEPTH = 6_000;

/**
 * How far lot corners and the bends in lot sides move at random, as a share of the lot size. It is small
 * enough that no lot can cross itself.
 */
const BEND = 0.1;

const LOTS_AT_ONCE = 20_000;

/**
 * Writes rows for counties, parcels, and parcel_filters, and leaves the tables as a merge and autovacuum
 * would.
 */
export async function seedCounties(pool: TestDb, counties: readonly County[]): Promise<void> {
  await ensurePartitions(
    pool,
    counties.map(county => county.fips),
  );
  await withoutSpatialIndexes(pool, async () => {
    for (const county of counties) await seedCounty(pool, county);
  });
  await countCoverage(
    pool,
    counties.map(county => county.fips),
  );
  for (const table of ['parcels', 'parcel_filters']) await pool.query(`vacuum analyze ${table}`);
  await pool.query('checkpoint');
}

async function seedCounty(pool: TestDb, { fips, parcels, west }: County): Promise<void> {
  const seed = readFileSync(join(import.meta.dirname, 'sql', 'seed_filter_parcels.sql'), 'utf8');
  const columns = columnsOf(parcels);
  for (let first = 0; first < parcels; first += LOTS_AT_ONCE) {
    const lots = Array.from({ length: Math.min(LOTS_AT_ONCE, parcels - first) }, (_, i) =>
      lot(west, (first + i) % columns, Math.floor((first + i) / columns)),
    );
    await pool.query(seed, [fips, first + 1, lots.map(one => one.extent), lots.map(one => one.boundary)]);
  }
}

/** Building spatial indexes at the end is several times faster than maintaining them row by row. */
async function withoutSpatialIndexes(pool: TestDb, work: () => Promise<void>): Promise<void> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'parcel_filters'::regclass and pg_get_indexdef(indexrelid) like '%USING gist%'`,
  );
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  await work();
  for (const { definition } of rows) await pool.query(definition.replace(' ON ONLY ', ' ON '));
}

/** The number of columns that makes the county about as wide as it is tall. */
const columnsOf = (parcels: number) => Math.ceil(Math.sqrt((parcels * LOT_DEPTH) / LOT_WIDTH));

/** A lot with eight vertices: the corners and the bends between them. */
function lot(west: number, column: number, row: number): { extent: string; boundary: Buffer } {
  const [c, r] = [2 * column, 2 * row];
  const grid = [
    [c, r],
    [c + 1, r],
    [c + 2, r],
    [c + 2, r + 1],
    [c + 2, r + 2],
    [c + 1, r + 2],
    [c, r + 2],
    [c, r + 1],
  ] as const;
  const ring = grid.map(([x, y]) => [
    Math.round(west + LOT_WIDTH * (x / 2 + off(x, y, 1))),
    Math.round(SOUTH + LOT_DEPTH * (y / 2 + off(x, y, 2))),
  ]) as [number, number][];
  const xs = ring.map(([x]) => x);
  const ys = ring.map(([, y]) => y);
  const degrees = [...ring, ring[0]!].map(([x, y]): Position => [x / 1e7, y / 1e7]);
  return {
    extent: `(${Math.max(...xs)},${Math.max(...ys)}),(${Math.min(...xs)},${Math.min(...ys)})`,
    boundary: Buffer.from(encodeBoundary([[degrees]])),
  };
}

const off = (x: number, y: number, axis: number) => BEND * (2 * ((seedOf(x, y, axis) >>> 0) / 2 ** 32) - 1);

/**
 * Waves that give the outline bays and spurs, like a hand-drawn shape: the number of waves, and their height
 * as a share of the radius.
 */
const WAVES = [
  [3, 0.15],
  [7, 0.06],
  [19, 0.02],
] as const;

/**
 * A WKT polygon with this number of vertices in the middle of a county, which contains about `taken` of its
 * parcels.
 */
export function polygonOf({ parcels, west }: County, vertices: number, taken: number): string {
  // The area of r = R (1 + sum a cos(k t)) is pi R^2 (1 + sum a^2 / 2), here in lots. In addition, about half
  // of the lots on the outline (2 pi R or more) are found. The reported count includes them.
  const waves = WAVES.reduce((sum, [, share]) => sum + share ** 2 / 2, 1);
  const radius = Math.sqrt(taken / (Math.PI * waves));
  const columns = columnsOf(parcels);
  const middle = [columns / 2, parcels / columns / 2] as const;
  const ring = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices;
    const r = radius * WAVES.reduce((sum, [count, share]) => sum + share * Math.cos(count * angle), 1);
    const lon = west + LOT_WIDTH * (middle[0] + r * Math.cos(angle));
    const lat = SOUTH + LOT_DEPTH * (middle[1] + r * Math.sin(angle));
    return `${(lon / 1e7).toFixed(7)} ${(lat / 1e7).toFixed(7)}`;
  });
  return `POLYGON ((${[...ring, ring[0]].join(', ')}))`;
}
