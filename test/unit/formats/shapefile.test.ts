import { gzipSync } from 'node:zlib';
import { Geodesic } from 'geographiclib-geodesic';
import type { MultiPolygon, Polygon } from 'geojson';
import { describe, expect, test } from 'vitest';
import { contextFor, fixtures, makeDbf, makeShp, makeZip, readAll, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);

const MAINE_EAST_FEET =
  'PROJCS["NAD_1983_StatePlane_Maine_East_FIPS_1801_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",984250.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-68.5],PARAMETER["Scale_Factor",0.9999],PARAMETER["Latitude_Of_Origin",43.66666666666666],UNIT["Foot_US",0.3048006096012192]]';

const WEB_MERCATOR =
  'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]';

const shp = makeShp([[984_250, 0], null, [984_250, 400_000]], 100);
const dbf = makeDbf(
  [{ name: 'PID', type: 'C', length: 4 }],
  [{ cells: ['1'] }, { cells: ['2'] }, { cells: ['3'] }],
);

const corner = (geometry: unknown) => (geometry as Polygon).coordinates[0]![0]!;

describe('the CRS', () => {
  test('US survey feet of a state plane land where the definition says', async () => {
    folder.put('a.shp', shp);
    folder.put('a.dbf', dbf);
    folder.put('a.prj', MAINE_EAST_FEET);
    const { rows } = await readAll({ source: 'a.shp', format: 'shapefile' }, context);
    expect(rows.map(row => [row.rowNo, row.values.PID])).toEqual([
      [1, '1'],
      [2, '2'],
      [3, '3'],
    ]);
    expect(rows[1]!.geometry).toBeNull();
    // The false origin, 984,250 survey feet east, is the crossing of the central meridian and the
    // latitude of origin.
    // International feet would be off by 0.6 m there, 7e-6 degrees.
    const [x0, y0] = corner(rows[0]!.geometry);
    expect(x0).toBeCloseTo(-68.5, 9);
    expect(y0).toBeCloseTo(43 + 2 / 3, 9);
    // Along the central meridian the grid is the geodesic times 0.9999.
    const [x1, y1] = corner(rows[2]!.geometry);
    const { s12 } = Geodesic.WGS84.Inverse(43 + 2 / 3, -68.5, y1!, x1!);
    expect((s12! * 0.9999 * 3937) / 1200).toBeCloseTo(400_000, 1);
  });

  test.each([
    ["Esri's .prj", WEB_MERCATOR, undefined],
    ['the code of the feed', undefined, 'EPSG:3857'],
    ["Esri's own code of the feed", undefined, 'ESRI:102100'],
  ])('Web Mercator by %s', async (_, prj, crs) => {
    const [x, y] = [-8_026_135, 5_336_500];
    folder.put('m.shp', makeShp([[x, y]], 100));
    folder.put('m.dbf', makeDbf([{ name: 'PID', type: 'C', length: 4 }], [{ cells: ['1'] }]));
    folder.put('m.prj', prj ?? '');
    const input = { source: 'm.shp', format: 'shapefile' as const, ...(crs !== undefined && { crs }) };
    const [lon, lat] = corner((await readAll(input, context)).rows[0]!.geometry);
    // The inverse of the spherical projection.
    expect(lon).toBeCloseTo((x / 6_378_137) * (180 / Math.PI), 7);
    expect(lat).toBeCloseTo(Math.atan(Math.sinh(y / 6_378_137)) * (180 / Math.PI), 7);
  });

  test("the feed's crs takes precedence over the .prj", async () => {
    const read = await readAll({ source: 'a.shp', format: 'shapefile', crs: 'EPSG:26919' }, context);
    expect(corner(read.rows[0]!.geometry)[0]).not.toBeCloseTo(-68.5, 1);
  });

  test('feet without a .prj are refused instead of read as degrees', async () => {
    folder.put('bare.shp', shp);
    folder.put('bare.dbf', dbf);
    const read = readAll({ source: 'bare.shp', format: 'shapefile' }, context);
    await expect(read).rejects.toMatchObject({
      code: 'feed_crs',
      message: expect.stringMatching(/984250, 0.*"crs"/),
    });
  });
});

describe('the location of the files', () => {
  test('the real Bangor shapefile in a folder in a ZIP lands on Bangor', async () => {
    const read = await readAll({ source: `${fixtures}bangor-parcels.zip`, format: 'shapefile' }, context);
    expect(read.bad).toEqual([]);
    expect(read.rows).toHaveLength(25);
    expect(read.rows[0]!.values).toMatchObject({
      MAP_LOT: 'R31-004',
      VALUE_TOT: 96_300,
      UNIT: null,
      YR_BUILT: 1880,
    });
    // The city's limits.
    for (const { geometry } of read.rows) {
      const polygon = geometry as Polygon | MultiPolygon;
      const rings = polygon.type === 'Polygon' ? polygon.coordinates : polygon.coordinates.flat();
      for (const [x, y] of rings.flat()) {
        expect(Math.abs(x! + 68.785)).toBeLessThan(0.085);
        expect(Math.abs(y! - 44.825)).toBeLessThan(0.065);
      }
    }
  });

  test('extensions in any case, and gzipped files beside each other', async () => {
    folder.put('B.SHP', shp);
    folder.put('B.DBF', dbf);
    folder.put('b.Prj', MAINE_EAST_FEET);
    folder.put('c.shp.gz', gzipSync(shp));
    folder.put('c.dbf.gz', gzipSync(dbf));
    folder.put('c.prj', MAINE_EAST_FEET);
    for (const source of ['B.SHP', 'c.shp.gz']) {
      const { rows } = await readAll({ source, format: 'shapefile' }, context);
      expect(corner(rows[0]!.geometry)[0]).toBeCloseTo(-68.5, 9);
    }
  });

  test('a ZIP with several layers requires the member, by path, name, or stem', async () => {
    const other = makeDbf([{ name: 'ROAD', type: 'C', length: 4 }], [{ cells: ['I-95'] }]);
    folder.put(
      'layers.zip',
      makeZip({
        'gis/parcels.shp': shp,
        'gis/parcels.dbf': dbf,
        'gis/parcels.prj': MAINE_EAST_FEET,
        'gis/roads.shp': makeShp([[-68.5, 44]]),
        'gis/roads.dbf': other,
        '__MACOSX/gis/._parcels.shp': 'x',
      }),
    );
    const read = readAll({ source: 'layers.zip', format: 'shapefile' }, context);
    await expect(read).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/layers\.zip.*2 files.*gis\/parcels\.shp, gis\/roads\.shp.*"member"/),
    });
    for (const member of ['gis/parcels.shp', 'parcels.shp', 'parcels', 'GIS/Parcels']) {
      expect(
        (await readAll({ source: 'layers.zip', format: 'shapefile', member }, context)).rows,
      ).toHaveLength(3);
    }
    const missing = readAll({ source: 'layers.zip', format: 'shapefile', member: 'lots' }, context);
    await expect(missing).rejects.toThrow(/"lots".*gis\/roads\.shp/);
  });

  test('a record deleted in the table also removes its shape', async () => {
    const marked = makeDbf(
      [{ name: 'PID', type: 'C', length: 4 }],
      [{ cells: ['1'] }, { deleted: true, cells: ['2'] }, { cells: ['3'] }],
    );
    folder.put(
      'del.shp',
      makeShp([
        [-68.5, 44],
        [-68.4, 44],
        [-68.3, 44],
      ]),
    );
    folder.put('del.dbf', marked);
    const { rows } = await readAll({ source: 'del.shp', format: 'shapefile' }, context);
    expect(rows.map(row => [row.rowNo, row.values.PID, corner(row.geometry)[0]])).toEqual([
      [1, '1', -68.5],
      [3, '3', -68.3],
    ]);
  });
});

describe('unreadable shapefiles', () => {
  const good = makeShp(Array(3).fill([-68.5, 44]));
  const of = (bytes: Buffer) => ({ 'x.shp': bytes, 'x.dbf': dbf });

  test.each([
    ['without .dbf', { 'x.shp': good }, 'feed_source', /\.dbf/],
    ['cut in a shape', of(good.subarray(0, good.length - 20)), 'feed_source', /x\.shp/],
    ['cut between shapes', of(good.subarray(0, 100 + 136)), 'feed_source', /x\.shp/],
    ['fewer shapes than rows', of(makeShp([[1, 1]])), 'feed_source', /differ/],
    ['more shapes than rows', of(makeShp(Array(4).fill([1, 1]))), 'feed_source', /differ/],
    ['another format', of(Buffer.from('PID,OWNER\n'.repeat(20))), 'feed_format', /shapefile/],
    ['no layer', { 'x.csv': 'a', 'y.csv': 'b' }, 'feed_format', /\.shp\b/],
    ['a zip in the zip', { 'readme.txt': 'x', 'in/Parcels.zip': good }, 'feed_format', /in\/Parcels\.zip/],
    ['a geodatabase', { 'a00000001.gdbtable': good, gdb: 'x' }, 'feed_format', /filegdb/],
    ['multipatches', of(Buffer.from(good).fill(31, 32, 33)), 'feed_format', /Multipatch Footprint/],
  ])('%s', async (_, members, code, message) => {
    folder.put('bad.zip', makeZip(members as Record<string, Buffer>));
    const read = readAll({ source: 'bad.zip', format: 'shapefile' }, context);
    await expect(read).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(read).rejects.toThrow(/bad\.zip/);
  });
});
