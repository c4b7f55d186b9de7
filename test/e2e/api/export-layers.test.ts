import { join } from 'node:path';
import type { Geometry } from 'geojson';
import { describe, expect, test, vi } from 'vitest';
import { boxesIntersect, boxOfGeometry } from '../../../shared/geo/box.ts';
import { startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { exportFile, joinParts, newCompany } from '../../support/exports.ts';
import { testFolder } from '../../support/folder.ts';
import {
  type LayerFile,
  type LayerRow,
  readFlatGeobufFile,
  readGeoPackageFile,
} from '../../support/layer-files.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const folder = testFolder();
const COUNTY = { county: '33019' };
/** A column of each type. */
const COLUMNS = [
  'property_id',
  'apn',
  'acres',
  'vacant',
  'last_sale_date',
  'year_built',
  'market_total_value',
];
const { rows: parcels } = await db.pool.query<{ property_id: number; has_boundary: boolean }>(
  'select property_id, boundary is not null as has_boundary from parcels where retired_at is null and fips = 33019 order by property_id',
);
const [WHOLE, WITHOUT_BOUNDARY, WITHOUT_PLACE] = parcels
  .filter(row => row.has_boundary)
  .map(row => row.property_id);
await db.pool.query('update parcels set boundary = null where property_id = any ($1)', [
  [WITHOUT_BOUNDARY, WITHOUT_PLACE],
]);
await db.pool.query('update parcels set location = null where property_id = $1', [WITHOUT_PLACE]);
// A column without a value keeps its type.
await db.pool.query('update parcels set market_total_value = null, last_sale_date = null');

let files = 0;
const READERS: Record<string, (bytes: Buffer) => Promise<LayerFile>> = {
  gpkg: bytes => readGeoPackageFile(bytes, join(folder, `${++files}.gpkg`)),
  fgb: bytes => readFlatGeobufFile(bytes),
};

const toMulti = (geometry: Geometry | null): Geometry | null =>
  geometry?.type === 'Polygon' ? { type: 'MultiPolygon', coordinates: [geometry.coordinates] } : geometry;

/** The rows of the same order as GeoJSON lines. */
async function expectedRows(key: string, body: object): Promise<LayerRow[]> {
  const made = await exportFile(db, api, key, { ...body, format: 'geojsonl' });
  // The other format is paid for.
  expect(made).toMatchObject({ tokens: 0, free_rows: made.rows });
  return (await joinParts(made))
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as LayerRow)
    .map(({ properties, geometry }) => ({ properties, geometry: toMulti(geometry) }));
}

const idOf = ({ properties: { property_id: id, id: other } }: LayerRow): string => String(id ?? other);
const byId = (rows: LayerRow[]): LayerRow[] => rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

async function exported(key: string, body: object) {
  const made = await exportFile(db, api, key, body);
  expect(made).toMatchObject({ state: 'ready' });
  return { made, bytes: await joinParts(made) };
}

describe.each(['gpkg', 'fgb'])('%s', format => {
  const read = READERS[format]!;

  test('has the rows and shapes of the GeoJSON lines, with all columns, and is paid for once', async () => {
    const { key } = await newCompany(db);
    const { made, bytes } = await exported(key, { filter: COUNTY, format });
    expect(made).toMatchObject({ rows: parcels.length, free_rows: 0, tokens: parcels.length });
    const file = await read(bytes);
    const rows = await expectedRows(key, { filter: COUNTY });
    expect(file.rows).toHaveLength(rows.length);
    const all = byId(rows);
    for (const [i, row] of byId(file.rows).entries()) expect(row).toEqual(all[i]);
    expect(Object.keys(file.types)).toEqual(Object.keys(rows[0]!.properties));
  });

  test('columns have their types, even without a value', async () => {
    const { key } = await newCompany(db);
    const { bytes } = await exported(key, { filter: COUNTY, format, columns: COLUMNS });
    const { types, rows } = await read(bytes);
    const expected = {
      gpkg: ['INTEGER', 'TEXT', 'DOUBLE', 'BOOLEAN', 'DATE', 'MEDIUMINT', 'INTEGER', 'TEXT'],
      fgb: ['Long', 'String', 'Double', 'Bool', 'DateTime', 'Int', 'Long', 'String'],
    }[format]!;
    expect(types).toEqual(Object.fromEntries([...COLUMNS, 'sources'].map((name, i) => [name, expected[i]])));
    expect(rows.filter(({ properties }) => properties.last_sale_date !== null)).toEqual([]);
    expect(rows.filter(({ properties }) => properties.sources === null)).toEqual([]);
  });

  test('a parcel without a boundary has its point, and one without a location is kept', async () => {
    const { key } = await newCompany(db);
    const { bytes } = await exported(key, { filter: COUNTY, format, columns: ['property_id'] });
    const file = await read(bytes);
    const shapeOf = (id?: number) => file.rows.find(row => row.properties.property_id === id)!.geometry;
    expect(shapeOf(WITHOUT_BOUNDARY)).toMatchObject({ type: 'Point' });
    expect(shapeOf(WITHOUT_PLACE)).toBeNull();
    expect(file.geometryType).toBe(format === 'gpkg' ? 'GEOMETRY' : 'Unknown');
    const one = { ...COUNTY, property_id: WHOLE };
    const whole = await exported(key, { filter: one, format });
    expect((await read(whole.bytes)).geometryType.toUpperCase()).toBe('MULTIPOLYGON');
  });

  test('points instead of boundaries, and comps', async () => {
    const { key } = await newCompany(db);
    const body = { filter: COUNTY, boundary: false, columns: COLUMNS };
    const points = await read((await exported(key, { ...body, format })).bytes);
    // A FlatGeobuf has a shape without parts for the row without a location.
    expect(points.geometryType).toBe(format === 'gpkg' ? 'POINT' : 'Unknown');
    expect(byId(points.rows)).toEqual(byId(await expectedRows(key, body)));
    const comps = { comps: { fips: '33019', order: '-price' } };
    const { made, bytes } = await exported(key, { ...comps, format });
    const file = await read(bytes);
    expect(file.layer).toBe('comps');
    expect(file.rows).toHaveLength(made.rows!);
    expect(byId(file.rows)).toEqual(byId(await expectedRows(key, comps)));
  });

  test('a file without rows has the columns', async () => {
    const { key } = await newCompany(db);
    const filter = { ...COUNTY, acres_min: 9_999_999 };
    const { made, bytes } = await exported(key, { filter, format, columns: COLUMNS });
    expect(made).toMatchObject({ rows: 0, tokens: 0 });
    const { types, rows } = await read(bytes);
    expect([Object.keys(types), rows]).toEqual([[...COLUMNS, 'sources'], []]);
  });
});

test('a GeoPackage follows the standard', async () => {
  const { key } = await newCompany(db);
  const { bytes } = await exported(key, { filter: COUNTY, format: 'gpkg' });
  const file = await readGeoPackageFile(bytes, join(folder, 'standard.gpkg'));
  expect(file).toMatchObject({ applicationId: 0x47504b47, version: 10_300, problems: [] });
  expect(file.contents).toHaveLength(1);
  expect(file.contents[0]).toMatchObject({ table_name: 'parcels', data_type: 'features', srs_id: 4326 });
  expect(file.contents[0]!.description).toContain('Washington');
  expect(file.contents[0]!.last_change).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const boxes = file.rows.map(row => boxOfGeometry(row.geometry)).filter(box => box !== null);
  expect(file.indexed).toBe(boxes.length);
  expect(file.extensions).toEqual([
    expect.objectContaining({
      table_name: 'parcels',
      extension_name: 'gpkg_rtree_index',
      scope: 'write-only',
    }),
  ]);
  const side = (at: 0 | 1 | 2 | 3, pick: (...values: number[]) => number) =>
    pick(...boxes.map(box => box[at]));
  expect(file.contents[0]).toMatchObject({
    min_x: side(0, Math.min),
    min_y: side(1, Math.min),
    max_x: side(2, Math.max),
    max_y: side(3, Math.max),
  });
  expect(file.shapes).toEqual([expect.objectContaining({ column_name: 'geom', srs_id: 4326, z: 0, m: 0 })]);
});

test("a FlatGeobuf's index finds the shapes of an area", async () => {
  vi.spyOn(console, 'debug').mockImplementation(() => {});
  const { key } = await newCompany(db);
  const { bytes } = await exported(key, { filter: COUNTY, format: 'fgb', columns: ['property_id'] });
  const { header, rows } = await readFlatGeobufFile(bytes);
  expect(header).toMatchObject({
    featuresCount: rows.length,
    indexNodeSize: 16,
    crs: { org: 'EPSG', code: 4326 },
  });
  const [west, south, east, north] = header!.envelope as unknown as [number, number, number, number];
  for (const [minX, minY, maxX, maxY] of [
    [west, south, east, north],
    [west, south, (west + east) / 2, (south + north) / 2],
    [(west + east) / 2, south, (west + east) / 2, north],
  ] as [number, number, number, number][]) {
    const found = await readFlatGeobufFile(bytes, { minX, minY, maxX, maxY });
    const expected = rows.filter(({ geometry }) => {
      const box = boxOfGeometry(geometry);
      return box !== null && boxesIntersect(box, [minX, minY, maxX, maxY]);
    });
    expect(expected.length).toBeGreaterThan(0);
    expect(JSON.stringify(byId(found.rows))).toBe(JSON.stringify(byId(expected)));
  }
});
