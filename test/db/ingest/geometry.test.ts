import { join } from 'node:path';
import type { Geometry, Position } from 'geojson';
import { expect, test } from 'vitest';
import { sqMToAcres } from '../../../shared/geo/geodesic-area.ts';
import { decodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { pointInPolygon } from '../../../shared/geo/point-in-polygon.ts';
import { geographicLibAreaSqM } from '../../properties/geometry-shapes.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  all,
  type Feature,
  feedOf,
  ingest,
  lot,
  lotRings,
  newName,
  ORIGIN,
  writeFeatures,
} from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();

/** Positions given in units of 1e-4 degree from a corner in the county. */
const at = (...points: [number, number][]): Position[] =>
  points.map(([x, y]) => [round(ORIGIN[0] + x / 1e4), round(ORIGIN[1] + y / 1e4)]);
const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;
const polygon = (...rings: Position[][]): Geometry => ({ type: 'Polygon', coordinates: rings });

const OUTER = at([0, 0], [10, 0], [10, 10], [0, 10], [0, 0]);
const HOLE = at([2, 2], [2, 5], [5, 5], [5, 2], [2, 2]);
const FAR = at([20, 0], [30, 0], [30, 10], [20, 10], [20, 0]);

type Stored = {
  source_key: string;
  calculated_acres: number | null;
  location: { x: number; y: number } | null;
  boundary: Buffer | null;
  owner_name: string | null;
  apn: string | null;
};

async function ingestShapes(features: Feature[], roll?: Feature[]) {
  const name = newName();
  const section = (file: string, columns: Record<string, string>) => ({
    source: `${name}-${file}.ndgeojson`,
    format: 'ndgeojson',
    key: 'PIN',
    columns,
  });
  const feed = feedOf(folder, {
    name,
    kind: 'assessor',
    fips: '33019',
    roll: section('roll', { owner_name: 'OWNER' }),
    ...(roll ? { shape: section('shape', { owner_name: 'OWNER', apn: 'MAPLOT' }) } : {}),
  });
  writeFeatures(join(folder, `${name}-roll.ndgeojson`), roll ?? features);
  if (roll) writeFeatures(join(folder, `${name}-shape.ndgeojson`), features);
  const result = await ingest(pool, feed, { force: true });
  const rows = await all<Stored>(
    pool,
    'select source_key, calculated_acres, location, boundary, owner_name, apn from parcels p join feeds f on f.id = p.feed_id where f.name = $1 order by 1',
    [name],
  );
  return { result, rows };
}

const feature = (pin: string, geometry: Geometry | null, more: Record<string, unknown> = {}): Feature => ({
  properties: { PIN: pin, OWNER: pin, MAPLOT: `M-${pin}`, ...more },
  geometry,
});

function expectArea(row: Stored, expected: MultiPolygon): void {
  const areaSqM = expected.reduce((sum, part) => sum + geographicLibAreaSqM([part]), 0);
  expect(Math.abs(row.calculated_acres! - sqMToAcres(areaSqM))).toBeLessThanOrEqual(
    sqMToAcres(1e-6 * areaSqM + 2e-4),
  );
  const { x, y } = row.location!;
  expect(
    decodeBoundary(row.boundary!).some(part => pointInPolygon([x / 1e7, y / 1e7], part) !== 'outside'),
  ).toBe(true);
}

/** What is written, the repair that is counted, and the land that it stands for. */
const REPAIRS: [repair: string, geometry: Geometry, land: Position[][][]][] = [
  ['winding_reversed', polygon(OUTER.toReversed(), HOLE.toReversed()), [[OUTER, HOLE]]],
  ['ring_closed', polygon(OUTER.slice(0, 4)), [[OUTER]]],
  ['duplicate_points_dropped', polygon([OUTER[0]!, ...OUTER]), [[OUTER]]],
  ['z_dropped', polygon(OUTER.map(p => [...p, 312.5])), [[OUTER]]],
  ['spike_dropped', polygon(at([0, 0], [10, 0], [15, 0], [10, 0], [10, 10], [0, 10], [0, 0])), [[OUTER]]],
  [
    'self_crossing_split',
    polygon(at([0, 0], [10, 10], [10, 0], [0, 10], [0, 0])),
    [[at([0, 0], [5, 5], [0, 10], [0, 0])], [at([10, 0], [10, 10], [5, 5], [10, 0])]],
  ],
  [
    'self_touch_split',
    polygon(at([0, 0], [5, 5], [10, 0], [10, 10], [5, 5], [0, 10], [0, 0])),
    [[at([0, 0], [5, 5], [0, 10], [0, 0])], [at([10, 0], [10, 10], [5, 5], [10, 0])]],
  ],
  [
    'zero_area_dropped',
    { type: 'MultiPolygon', coordinates: [[OUTER], [at([20, 0], [25, 0], [30, 0], [20, 0])]] },
    [[OUTER]],
  ],
  ['hole_moved', { type: 'MultiPolygon', coordinates: [[OUTER], [FAR, HOLE]] }, [[OUTER, HOLE], [FAR]]],
  [
    'parts_merged',
    { type: 'MultiPolygon', coordinates: [[OUTER], [at([5, 0], [15, 0], [15, 10], [5, 10], [5, 0])]] },
    [[at([0, 0], [15, 0], [15, 10], [0, 10], [0, 0])]],
  ],
];

test('every repair is counted, and the parcel has the intended land', async () => {
  const { result, rows } = await ingestShapes(REPAIRS.map(([, geometry], i) => feature(`P${i}`, geometry)));
  expect(result.counts.rejected).toEqual({});
  expect(result.counts.dropped).toEqual({});
  for (const [i, row] of rows.entries()) expectArea(row, REPAIRS[i]![2] as MultiPolygon);
  for (const [repair] of REPAIRS) expect(result.counts.repaired[repair], repair).toBeGreaterThanOrEqual(1);
  const alone = await ingestShapes([feature('P', REPAIRS[1]![1])]);
  expect(alone.result.counts.repaired).toEqual({ ring_closed: 1 });
});

test('an area equals that of GeographicLib, with holes subtracted and parts added', async () => {
  const { rows, result } = await ingestShapes([
    feature('HOLE', polygon(OUTER, HOLE)),
    feature('PARTS', { type: 'MultiPolygon', coordinates: [[OUTER, HOLE], [FAR]] }),
    feature('PLAIN', lot(0)),
  ]);
  expectArea(rows[0]!, [[OUTER, HOLE]] as MultiPolygon);
  expectArea(rows[1]!, [[OUTER, HOLE], [FAR]] as MultiPolygon);
  expectArea(rows[2]!, [lotRings(0)]);
  expect(result.counts).toMatchObject({ repaired: {}, parts: 0 });
});

test('features with one key are one parcel: apart, overlapping, and repeated ones', async () => {
  const overlapping = at([5, 0], [15, 0], [15, 10], [5, 10], [5, 0]);
  const { rows, result } = await ingestShapes([
    feature('APART', polygon(OUTER)),
    feature('APART', polygon(FAR)),
    feature('OVER', polygon(OUTER)),
    feature('OVER', polygon(overlapping)),
    feature('SAME', polygon(OUTER)),
    feature('SAME', polygon(OUTER)),
  ]);
  expect(result.counts).toMatchObject({ new: 3, parts: 2, identical: 1, rejected: {} });
  expectArea(rows[0]!, [[OUTER], [FAR]] as MultiPolygon);
  expectArea(rows[1]!, [[at([0, 0], [15, 0], [15, 10], [0, 10], [0, 0])]] as MultiPolygon);
  expectArea(rows[2]!, [[OUTER]] as MultiPolygon);
});

test('more parcels in parts than fit into memory at a time', async () => {
  const apart = (n: number, shift: number) => lot(n + 1_000 * shift);
  const features = Array.from({ length: 1_200 }, (_, n) => n).flatMap(n => [
    feature(`P${n}`, apart(n % 900, 0)),
    feature(`P${n}`, apart(n % 900, 1)),
  ]);
  const { rows, result } = await ingestShapes(features);
  expect(result.counts).toMatchObject({ new: 1_200, parts: 1_200 });
  expect(rows.map(row => decodeBoundary(row.boundary!).length)).toEqual(rows.map(() => 2));
});

test('an unusable geometry: a parcel without boundary, and a rejected row with its own reason', async () => {
  const { rows, result } = await ingestShapes([
    feature('LINE', { type: 'LineString', coordinates: OUTER }),
    feature('FLAT', polygon(at([0, 0], [5, 0], [10, 0], [0, 0]))),
    feature('WITHOUT', null),
    feature('GOOD', lot(0)),
  ]);
  expect(rows.map(row => [row.source_key, row.boundary === null, row.location === null])).toEqual([
    ['FLAT', true, true],
    ['GOOD', false, false],
    ['LINE', true, true],
    ['WITHOUT', true, true],
  ]);
  expect(result.counts).toMatchObject({ dropped: { geometry: 2 }, without_geometry: 3, rejected: {} });
  const rejects = await all(
    pool,
    'select row_no, field, reason, message, raw from run_rejects where run_id = $1 order by row_no',
    [result.runId],
  );
  expect(rejects.map(({ row_no, field, reason }) => [row_no, field, reason])).toEqual([
    [1, 'geometry', 'geometry_not_an_area'],
    [2, 'geometry', 'geometry_no_area'],
  ]);
  expect(JSON.parse(String(rejects[0]!.raw)).geometry.type).toBe('LineString');
});

test('points locate parcels without a boundary; if a parcel has both, the boundary counts', async () => {
  const point = (x: number): Geometry => ({ type: 'Point', coordinates: at([x, 5])[0]! });
  const { rows, result } = await ingestShapes([
    feature('ONE', point(5)),
    feature('TWICE', { type: 'MultiPoint', coordinates: [at([6, 5])[0]!] }),
    feature('TWICE', point(7)),
    feature('BOTH', point(5)),
    feature('BOTH', polygon(OUTER)),
    feature('BEYOND', { type: 'Point', coordinates: [-720, 43] }),
  ]);
  expect(rows.map(row => [row.source_key, row.boundary === null, row.calculated_acres === null])).toEqual([
    ['BEYOND', true, true],
    ['BOTH', false, false],
    ['ONE', true, true],
    ['TWICE', true, true],
  ]);
  const places = rows.map(({ location }) => location && [location.x, location.y]);
  expect([places[0], places[2], places[3]]).toEqual([
    null,
    [Math.round((ORIGIN[0] + 5e-4) * 1e7), Math.round((ORIGIN[1] + 5e-4) * 1e7)],
    [Math.round((ORIGIN[0] + 6e-4) * 1e7), Math.round((ORIGIN[1] + 5e-4) * 1e7)],
  ]);
  expectArea(rows[1]!, [[OUTER]] as MultiPolygon);
  expect(result.counts).toMatchObject({ new: 4, dropped: { geometry: 1 } });
  const county = 'select with_boundary from county_coverage where fips = 33019';
  const [covered] = await all<{ with_boundary: number }>(pool, county);
  const known = 'select count(boundary)::int as n from parcels where fips = 33019 and retired_at is null';
  expect(covered?.with_boundary).toBe((await all<{ n: number }>(pool, known))[0]?.n);
});

test('a repeated key with other values: the first row is kept, and the rejected row says that its geometry still counts', async () => {
  const { rows, result } = await ingestShapes([
    feature('TWICE', lot(0), { OWNER: 'FIRST' }),
    feature('TWICE', lot(1), { OWNER: 'SECOND' }),
  ]);
  expect(result.counts).toMatchObject({ rejected: { duplicate_key: 1 } });
  expect(rows.map(row => [row.owner_name, decodeBoundary(row.boundary!).length])).toEqual([['FIRST', 2]]);
  const rejects = await all(pool, 'select row_no, field, message from run_rejects where run_id = $1', [
    result.runId,
  ]);
  expect(rejects).toEqual([
    {
      row_no: 2,
      field: 'key',
      message: expect.stringMatching(/\bTWICE\b.*\brow 1\b/),
    },
  ]);
});

test('two files: a row without geometry has a null point, geometry without a row has its own columns', async () => {
  const roll = [feature('BOTH', null, { OWNER: 'ROLL' }), feature('ROLL', null, { OWNER: 'ROLL' })];
  const shape = [
    feature('BOTH', lot(0), { OWNER: 'MAP' }),
    feature('SHAPE', lot(1), { OWNER: 'MAP' }),
    feature('BAD', { type: 'LineString', coordinates: OUTER }),
  ];
  const { rows, result } = await ingestShapes(shape, roll);
  expect(rows.map(row => [row.source_key, row.owner_name, row.apn, row.location === null])).toEqual([
    ['BOTH', 'ROLL', null, false],
    ['ROLL', 'ROLL', null, true],
    ['SHAPE', 'MAP', 'M-SHAPE', false],
  ]);
  expect(result.counts).toMatchObject({
    matched_keys: 1,
    roll_without_shape: 1,
    shape_without_roll: 1,
    new: 3,
    rejected: { geometry_not_an_area: 1 },
  });
  expect(result.counts.dropped).toEqual({});
});
