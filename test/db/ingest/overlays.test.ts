import { join } from 'node:path';
import type { Geometry, Polygon } from 'geojson';
import { beforeEach, expect, test } from 'vitest';
import { LAND_KERNELS } from '../../../shared/land/compute-land.ts';
import { removeLayer } from '../../../workers/ingest/layers/layer-editions.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  all,
  type Feature,
  feedOf,
  ingest,
  ingestRoll,
  lot,
  ORIGIN,
  one,
  square,
  writeFeatures,
} from '../../support/ingest.ts';
import { marks } from '../../support/layers.ts';
import { settle } from '../attributes-support.ts';

const { folder, pool } = await createTestDatabase();
const [west, south] = ORIGIN;

/** Ten lots of 0.001 degrees, 0.0015 degrees apart, eastward from the origin. */
const LOTS = 10;
const { status } = await ingestRoll(
  pool,
  folder,
  'roll',
  Array.from({ length: LOTS }, (_, n) => ({ properties: { PIN: `P${n}` }, geometry: lot(n) })),
);
expect(status).toBe('merged');
await settle(pool, LAND_KERNELS);

const COVERAGE = [west - 0.01, south - 0.01, west + 0.1, south + 0.1];
const CLASSES = { house: { label: 'Houses', color: '#112233' }, shop: {} };
const ZONING = { zoning: { label: 'Zoning', classes: CLASSES } };
const COLUMNS = {
  zoning: { column: 'ZONE', contains: { 'R-': 'house', BUS: 'shop' } },
  name: 'NAME',
};

function overlayFeed(
  name: string,
  { layer, ...more }: { layer?: Record<string, unknown> } & Record<string, unknown> = {},
) {
  return feedOf(folder, {
    name,
    kind: 'overlay',
    layer: { source: `${name}.ndgeojson`, format: 'ndgeojson', columns: COLUMNS, ...layer },
    overlays: ZONING,
    coverage: COVERAGE,
    ...more,
  });
}

async function run(name: string, features: readonly Feature[], more: Parameters<typeof overlayFeed>[1] = {}) {
  writeFeatures(join(folder, `${name}.ndgeojson`), features);
  return ingest(pool, overlayFeed(name, more), { force: true });
}

async function load(name: string, features: readonly Feature[], more?: Parameters<typeof overlayFeed>[1]) {
  expect((await run(name, features, more)).status).toBe('merged');
  await settle(pool, LAND_KERNELS);
}

const zone = (ZONE: string | null, geometry: Geometry, more: Record<string, unknown> = {}): Feature => ({
  properties: { ZONE, NAME: null, ...more },
  geometry,
});

/** A part of a lot from its west side: a box of its full height. */
const part = (n: number, from: number, to: number): Geometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [west + 0.0015 * n + 0.001 * from, south - 0.0001],
      [west + 0.0015 * n + 0.001 * to, south - 0.0001],
      [west + 0.0015 * n + 0.001 * to, south + 0.0011],
      [west + 0.0015 * n + 0.001 * from, south + 0.0011],
      [west + 0.0015 * n + 0.001 * from, south - 0.0001],
    ],
  ],
});

type Row = {
  percent: number;
  classes: string[];
  percents: number[];
  nearest_ft: number | null;
  nearest_name: string | null;
  numbers: Record<string, number>;
};

async function measured(overlay = 'zoning'): Promise<(Row | null)[]> {
  const rows = await all<Row & { n: number }>(
    pool,
    `select right(p.source_key, 1)::int as n, o.percent, o.classes, o.percents, o.nearest_ft, o.nearest_name, o.numbers
     from parcel_overlays o join parcels p using (fips, property_id) where o.overlay = $1`,
    [overlay],
  );
  return Array.from({ length: LOTS }, (_, n) => {
    const { n: _n, ...row } = rows.find(row => row.n === n) ?? { n };
    return 'percent' in row ? row : null;
  });
}

const NOTHING: Row = {
  percent: 0,
  classes: [],
  percents: [],
  nearest_ft: null,
  nearest_name: null,
  numbers: {},
};
const shares = (...of: [string, number][]): Partial<Row> => ({
  classes: of.map(([name]) => name),
  percents: of.map(([, percent]) => percent),
});

beforeEach(async () => {
  for (const { name } of await all<{ name: string }>(
    pool,
    'select f.name from land_layers l join feeds f on f.id = l.feed_id',
  ))
    await removeLayer(pool, name, new AbortController().signal);
  await settle(pool, LAND_KERNELS);
});

test('shares by class: overlaps of a class count once, and pieces and gaps add up', async () => {
  await load('zones', [
    zone('R-1', part(0, -0.2, 0.5)),
    zone('r-2', part(0, 0.3, 0.6)),
    zone('BUSINESS', part(0, 0.5, 1.2)),
    zone('R-1', {
      type: 'MultiPolygon',
      coordinates: [part(1, 0.1, 0.2), part(1, 0.6, 0.8)].map(shape => (shape as Polygon).coordinates),
    }),
    // 3D
    zone('R-3', {
      type: 'Polygon',
      coordinates: (part(2, 0, 1) as Polygon).coordinates.map(ring =>
        ring.map(position => [...position, 250]),
      ),
    }),
  ]);
  const [first, second, third, ...others] = await measured();
  expect(first).toEqual({ ...NOTHING, percent: 100, ...shares(['house', 60], ['shop', 50]) });
  expect(second).toEqual({ ...NOTHING, percent: 30, ...shares(['house', 30]) });
  expect(third).toEqual({ ...NOTHING, percent: 100, ...shares(['house', 100]) });
  expect(others).toEqual(others.map(() => NOTHING));
  const { overlays } = await one<{ overlays: unknown }>(pool, 'select overlays from land_layers');
  expect(overlays).toEqual([
    {
      name: 'zoning',
      label: 'Zoning',
      distance_ft: null,
      classes: [
        { class: 'house', label: 'Houses', color: '#112233', features: 4 },
        { class: 'shop', label: 'shop', color: expect.stringMatching(/^#/), features: 1 },
      ],
      numbers: [],
    },
  ]);
});

test('parcels outside the coverage have no figures', async () => {
  await load('zones', [zone('R-1', part(0, 0, 1))], {
    coverage: [west - 0.01, south - 0.01, west + 0.0015 * 5 - 0.0001, south + 0.01],
  });
  const rows = await measured();
  expect(rows.map(row => row?.percent ?? null)).toEqual([100, 0, 0, 0, 0, null, null, null, null, null]);
});

test('several feeds fill one overlay, also across the border between them', async () => {
  const half = west + 0.0015 * 5 - 0.0001;
  await load('west-town', [zone('R-1', part(0, 0, 1)), zone('R-1', part(5, 0, 0.25))], {
    coverage: [west - 0.01, south - 0.01, half, south + 0.01],
  });
  await load('east-town', [zone('BUS', part(4, 0.5, 1)), zone('BUS', part(9, 0, 1))], {
    coverage: [half, south - 0.01, west + 0.1, south + 0.01],
  });
  const rows = await measured();
  expect(rows[0]).toMatchObject(shares(['house', 100]));
  expect(rows[4]).toMatchObject(shares(['shop', 50]));
  expect(rows[5]).toMatchObject(shares(['house', 25]));
  expect(rows[9]).toMatchObject(shares(['shop', 100]));

  await removeLayer(pool, 'east-town', new AbortController().signal);
  await settle(pool, LAND_KERNELS);
  const left = await measured();
  expect(left.slice(5)).toEqual([null, null, null, null, null]);
  expect(left[4]).toEqual(NOTHING);
});

const LINES = {
  layer: { columns: { name: 'NAME' } },
  overlays: { power: { label: 'Power lines', distance_ft: 500 } },
};
const line = (x: number, NAME: string | null): Feature => ({
  properties: { NAME },
  geometry: {
    type: 'LineString',
    coordinates: [
      [west + x, south - 0.005],
      [west + x, south + 0.005],
    ],
  },
});

test('lines and points give a distance and a name, up to the limit', async () => {
  await load('power', [line(0.0005, 'West line'), line(0.0035, null)], LINES);
  await load(
    'towers',
    [
      {
        properties: { NAME: 'Tower' },
        geometry: { type: 'Point', coordinates: [west + 0.014, south + 0.0005] },
      },
    ],
    LINES,
  );
  const rows = await measured('power');
  expect(rows[0]).toMatchObject({ percent: 0, classes: [], nearest_ft: 0, nearest_name: 'West line' });
  // From 0.0025 to 0.0035 degrees of longitude, at 81,290 m per degree.
  expect(rows[1]).toMatchObject({ nearest_name: null });
  expect(rows[1]!.nearest_ft).toBeCloseTo(266.8, 0);
  expect(rows[2]!.nearest_ft).toBe(0);
  expect(rows[5]).toEqual(NOTHING);
  expect(rows[9]).toMatchObject({ nearest_ft: 0, nearest_name: 'Tower' });
  expect(rows[8]).toMatchObject({ nearest_name: 'Tower' });
});

test('an area around a parcel is at no distance, and its name is the nearest', async () => {
  const parks = {
    overlays: { park: { label: 'Parks', distance_ft: 1000 } },
    layer: { columns: { name: 'NAME' } },
  };
  const big = square(west - 0.002, south - 0.002, 0.005);
  await load('parks', [{ properties: { NAME: 'State park' }, geometry: big }], parks);
  const rows = await measured('park');
  expect(rows[0]).toMatchObject({
    percent: 100,
    classes: ['park'],
    nearest_ft: 0,
    nearest_name: 'State park',
  });
  expect(rows[2]).toMatchObject({ percent: 0, nearest_name: 'State park' });
  expect(rows[2]!.nearest_ft).toBeLessThan(10);
});

test('a reload marks only the parcels that changed features can reach', async () => {
  const far = Array.from({ length: 12 }, (_, n) => line(0.02 + n * 0.001, `Line ${n}`));
  await load('power', [line(0.0005, 'West line'), ...far], LINES);
  await run('power', [line(0.0002, 'West line'), ...far], LINES);
  // 500 feet are 0.00187 degrees of longitude.
  expect([...(await marks(pool)).values()]).toEqual([32, 32]);
  await settle(pool, LAND_KERNELS);
  expect((await measured('power')).map(row => row!.nearest_name)).toEqual([
    'West line',
    'West line',
    ...new Array(8).fill(null),
  ]);
  expect((await run('power', [line(0.0002, 'West line'), ...far], LINES)).status).toBe('unchanged');
  const wider = { ...LINES, overlays: { power: { label: 'Power lines', distance_ft: 900 } } };
  await run('power', [line(0.0002, 'West line'), ...far], wider);
  expect((await marks(pool)).size).toBe(LOTS);
});

test('one feed fills several overlays, with numbers averaged by area', async () => {
  const soils = {
    layer: { columns: { septic: 'SEPTIC', hydric: 'HYDRIC', rock_in: { column: 'ROCK', scale: 0.5 } } },
    overlays: {
      septic: { label: 'Septic', numbers: { rock_in: { label: 'Depth to bedrock', unit: 'in' } } },
      hydric: { label: 'Hydric soils' },
    },
  };
  const soil = (n: number, from: number, to: number, properties: Record<string, unknown>): Feature => ({
    properties: { SEPTIC: null, HYDRIC: null, ROCK: null, ...properties },
    geometry: part(n, from, to),
  });
  const { counts } = await run(
    'soils',
    [
      soil(0, 0, 0.25, { SEPTIC: 'Very limited', HYDRIC: 'yes', ROCK: 40 }),
      soil(0, 0.25, 0.5, { SEPTIC: 'Not limited', ROCK: 80 }),
      soil(0, 0.5, 1, { SEPTIC: 'Not limited', ROCK: 'unknown' }),
      soil(1, 0, 1, { HYDRIC: 'yes' }),
      soil(2, 0, 1, {}),
    ],
    soils,
  );
  await settle(pool, LAND_KERNELS);
  expect(counts.rejected).toMatchObject({ missing_class: 1 });
  const [first, second, third] = await measured('septic');
  expect(first).toMatchObject({
    ...shares(['Not limited', 75], ['Very limited', 25]),
    numbers: { rock_in: 30 },
  });
  expect([second, third]).toEqual([NOTHING, NOTHING]);
  expect((await measured('hydric')).slice(0, 3).map(row => row!.percent)).toEqual([25, 100, 0]);
});

test('features in state plane feet are measured like those in degrees', async () => {
  const { percent } = (await feet())[0]!;
  expect(percent).toBeCloseTo(50, 0);
});

/** In EPSG:3437, New Hampshire in survey feet, an area that covers the first lot's west half. */
async function feet() {
  const { default: proj4 } = await import('proj4');
  const plane =
    '+proj=tmerc +lat_0=42.5 +lon_0=-71.6666666666667 +k=0.999966667 +x_0=300000 +y_0=0 +datum=NAD83 +units=us-ft +no_defs';
  const ring = (part(0, -0.5, 0.5) as Polygon).coordinates[0]!;
  const geometry: Geometry = {
    type: 'Polygon',
    coordinates: [ring.map(position => proj4(plane, position))],
  };
  await load('feet', [zone('R-1', geometry)], { layer: { crs: 'EPSG:3437' } });
  return measured();
}

test.each([
  ['missing_class', null],
  ['unknown_class', 'AIRPORT'],
  ['cut', 'R-'.padEnd(61, 'X')],
] as const)('a feature is rejected: %s', async (reason, value) => {
  const more =
    reason === 'cut'
      ? { layer: { columns: { zoning: 'ZONE' } }, overlays: { zoning: { label: 'Zoning' } } }
      : {};
  const { counts } = await run('zones', [zone('R-1', part(0, 0, 1)), zone(value, part(1, 0, 1))], more);
  expect(counts.rejected).toEqual({ [reason]: 1 });
});

test('too many classes end the run', async () => {
  const many = Array.from({ length: 101 }, (_, n) => zone(`Z${n}`, part(n % 10, 0, 1)));
  await expect(
    run('zones', many, { layer: { columns: { zoning: 'ZONE' } }, overlays: { zoning: { label: 'Zoning' } } }),
  ).rejects.toMatchObject({ code: 'feed_mapping' });
});
