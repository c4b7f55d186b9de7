import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { MultiPolygon, Polygon } from 'geojson';
import { describe, expect, test } from 'vitest';
import { areaSqM, sqMToAcres } from '../../../shared/geo/geodesic-area.ts';
import type { MultiPolygon as Polygons, Ring } from '../../../shared/geo/geometry-types.ts';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { fromEsri } from '../../../workers/formats/arcgis-geometry.ts';
import { stageBoundary } from '../../../workers/ingest/kinds/assessor/stage-boundary.ts';
import {
  contextFor,
  fixtures,
  makeDbf,
  makeShp,
  makeZip,
  readAll,
  shpOf,
  shpRecord,
  shxOf,
  squareRing,
  temporaryFolder,
} from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const RECORD = 8 + 44 + 4 + 5 * 16;

const table = (rows: number) =>
  makeDbf(
    [{ name: 'PID', type: 'C', length: 4 }],
    Array.from({ length: rows }, (_, i) => ({ cells: [String(i + 1)] })),
  );

const WEST = [-72.1, -72.09, -72.08];

/** The west edge of each row's shape, by its number. */
async function places(files: Record<string, Buffer>, source = 'a.shp') {
  for (const [name, bytes] of Object.entries(files)) folder.put(name, bytes);
  const { rows } = await readAll({ source, format: 'shapefile' }, context);
  return Object.fromEntries(
    rows.map(({ values, geometry }) => [
      values.PID,
      geometry && Math.min(...(geometry as Polygon).coordinates[0]!.map(([x]) => x!)),
    ]),
  );
}

const three = makeShp(WEST.map(x => [x, 43.17]));
const at = (record: number) => [100 + record * RECORD, RECORD - 8] as const;

describe('the .shx locates the records', () => {
  test.each([
    ['in another order than the .shp', [at(2), at(0), at(1)], [WEST[2], WEST[0], WEST[1]]],
    ['of which one is for two rows', [at(1), at(1), at(0)], [WEST[1], WEST[1], WEST[0]]],
    ['that passes over a deleted record', [at(0), at(2)], [WEST[0], WEST[2]]],
    ['that ends before a deleted record', [at(0), at(1)], [WEST[0], WEST[1]]],
    ['with a deleted record that keeps its place', [at(0), [0, 0], at(2)] as const, [WEST[0], null, WEST[2]]],
  ])('%s', async (_, records, expected) => {
    const members = { 'a.shp': three, 'a.shx': shxOf(records), 'a.dbf': table(records.length) };
    const wanted = Object.fromEntries(expected.map((west, i) => [i + 1, west]));
    expect(await places(members)).toEqual(wanted);
    folder.put('a.zip', makeZip(members));
    expect(await places({}, 'a.zip')).toEqual(wanted);
    const packed = Object.entries(members).map(([name, bytes]) => [`g.${name.slice(2)}.gz`, gzipSync(bytes)]);
    expect(await places(Object.fromEntries(packed), 'g.shp.gz')).toEqual(wanted);
  });

  test('records without a shape of any length, and bytes after the last record', async () => {
    for (const length of [0, 2, 4, 24]) {
      const contents = [0, 1, 2].map(i =>
        i === 1 ? Buffer.alloc(length) : shpRecord([squareRing(WEST[i]!, 43.17)]),
      );
      const shp = Buffer.concat([shpOf(5, contents), Buffer.alloc(37, 7)]);
      const shx = shxOf([at(0), [at(1)[0], length], [at(1)[0] + 8 + length, RECORD - 8]]);
      const expected = { 1: WEST[0], 2: null, 3: WEST[2] };
      expect(await places({ 'n.shp': shp, 'n.shx': shx, 'n.dbf': table(3) }, 'n.shp')).toEqual(expected);
      expect(await places({ 'm.shp': shp, 'm.dbf': table(3) }, 'm.shp')).toEqual(expected);
    }
  });

  test("without a .shx, bytes that aren't a record are skipped", async () => {
    const gap = Buffer.concat([Buffer.from([0, 0, 0, 99, 0, 0, 0, 40]), Buffer.alloc(80, 7)]);
    const cut = 100 + RECORD;
    const shp = Buffer.concat([three.subarray(0, cut), gap, three.subarray(cut)]);
    expect(await places({ 'l.shp': shp, 'l.dbf': table(3) }, 'l.shp')).toEqual({
      1: WEST[0],
      2: WEST[1],
      3: WEST[2],
    });
  });

  test('a length that is wrong in one of the two files does no harm', async () => {
    const shx = shxOf([0, 1, 2].map(i => [at(i)[0], RECORD] as const));
    const expected = { 1: WEST[0], 2: WEST[1], 3: WEST[2] };
    expect(await places({ 'w.shp': three, 'w.shx': shx, 'w.dbf': table(3) }, 'w.shp')).toEqual(expected);
    const wrong = Buffer.from(three);
    for (const i of [0, 1, 2]) wrong.writeInt32BE(0x7fffffff, at(i)[0] + 4);
    const right = shxOf([at(0), at(1), at(2)]);
    expect(await places({ 'v.shp': wrong, 'v.shx': right, 'v.dbf': table(3) }, 'v.shp')).toEqual(expected);
  });

  test.each([
    ['cut off', { 'x.shx': shxOf([at(0), at(1), at(2)]).subarray(0, 110) }, 'feed_source'],
    ['another file', { 'x.shx': Buffer.from('PID,OWNER\n'.repeat(20)) }, 'feed_format'],
    ['of another copy, with fewer records', { 'x.shx': shxOf([at(0)]) }, 'feed_source'],
    ['of another copy, with more records', { 'x.shx': shxOf([0, 1, 2, 3].map(() => at(0))) }, 'feed_source'],
    ['that points behind the end', { 'x.shx': shxOf([at(0), at(1), at(3)]) }, 'feed_source'],
  ])('one that is %s is refused by its name', async (_, files, code) => {
    const read = places({ 'x.shp': three, 'x.dbf': table(3), ...files }, 'x.shp');
    await expect(read).rejects.toMatchObject({ code, message: expect.stringContaining('x.sh') });
  });
});

test('an unreadable shape costs the row its shape', async () => {
  const broken = shpRecord([squareRing(WEST[1]!, 43.17)]);
  broken.writeInt32LE(1_000_000, 40);
  const unknown = Buffer.from(shpRecord([squareRing(WEST[1]!, 43.17)]));
  unknown.writeInt32LE(77, 0);
  const contents = [shpRecord([squareRing(WEST[0]!, 43.17)]), broken, unknown];
  folder.put('b.shp', shpOf(5, contents));
  folder.put('b.shx', shxOf([at(0), at(1), at(2)]));
  folder.put('b.dbf', table(3));
  const { rows, bad } = await readAll({ source: 'b.shp', format: 'shapefile' }, context);
  expect(bad).toEqual([]);
  expect(rows.map(row => row.values.PID)).toEqual(['1', '2', '3']);
  expect(rows.slice(1).map(row => prepareBoundary(row.geometry))).toMatchObject([
    { reason: 'unreadable' },
    { reason: 'unreadable' },
  ]);
});

type Case = { rings: Ring[]; polygons: Polygons };
const cases = JSON.parse(readFileSync(`${fixtures}rings.json`, 'utf8')) as Case[];

describe('rings become the same polygons as in GEOS, whatever their order and winding', () => {
  const acresOf = (geometry: unknown) => {
    const result = stageBoundary(geometry as MultiPolygon);
    return result.ok ? result.staged.acres : null;
  };
  const expected = cases.map(({ polygons }) => sqMToAcres(areaSqM(polygons)));

  test('in shapefiles', async () => {
    const contents = cases.map(({ rings }) => shpRecord(rings));
    folder.put('r.shp', shpOf(5, contents));
    folder.put('r.dbf', table(cases.length));
    const { rows } = await readAll({ source: 'r.shp', format: 'shapefile' }, context);
    expect(rows).toHaveLength(24);
    for (const [i, { geometry }] of rows.entries()) expectAcres(acresOf(geometry), expected[i]!);
  });

  test('in Esri JSON', () => {
    for (const [i, { rings }] of cases.entries())
      expectAcres(acresOf(fromEsri({ rings }, true)), expected[i]!);
  });

  function expectAcres(acres: number | null, geos: number): void {
    expect(Math.abs(acres! / geos - 1)).toBeLessThan(1e-6);
  }
});
