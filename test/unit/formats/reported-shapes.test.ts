import { describe, expect, test } from 'vitest';
import { areaSqM, sqMToAcres } from '../../../shared/geo/geodesic-area.ts';
import { stageBoundary } from '../../../workers/ingest/kinds/assessor/stage-boundary.ts';
import {
  contextFor,
  makeDbf,
  makeZip,
  type Rings,
  readAll,
  readerOf,
  shpOf,
  shpRecord,
  squareRing,
  temporaryFolder,
} from './make.ts';

/** Shapes and packages that other readers lost, filled, or took for something else. */

const folder = temporaryFolder();
const context = contextFor(folder.path);
const [X, Y] = [-72.1, 43.17];
const shell = squareRing(X, Y);
const hole = squareRing(X + 0.0003, Y + 0.0003, 0.0003).toReversed();
const other = squareRing(X + 0.002, Y, 0.0015);
const acres = (...rings: Rings) => sqMToAcres(areaSqM([rings.map(ring => [...ring])] as never));
const WHOLE = acres(shell);
const HOLE = acres(hole);

async function read(name: string, contents: readonly Rings[]) {
  folder.put(
    `${name}.shp`,
    shpOf(
      5,
      contents.map(rings => shpRecord(rings)),
    ),
  );
  const column = [{ name: 'PID', type: 'C', length: 4 }];
  folder.put(
    `${name}.dbf`,
    makeDbf(
      column,
      contents.map((_, i) => ({ cells: [String(i + 1)] })),
    ),
  );
  const { rows, bad } = await readAll({ source: `${name}.shp`, format: 'shapefile' }, context);
  expect(bad).toEqual([]);
  return rows.map(({ geometry }) => stageBoundary(geometry!));
}

describe('the acres of a polygon are those of its shells minus its holes', () => {
  const touching: Rings[number] = [
    [X, Y + 0.0005],
    [X + 0.0005, Y + 0.0005],
    [X + 0.0005, Y + 0.001],
    [X, Y + 0.0005],
  ];
  const large = squareRing(X, Y, 0.0015);
  test.each<[string, Rings, number]>([
    ['a hole that touches its shell', [large, touching], acres(large) - acres(touching)],
    ['a hole behind another shell', [shell, other, hole], WHOLE + acres(other) - HOLE],
    ['both rings wound as holes', [shell.toReversed(), hole], WHOLE - HOLE],
    ['both rings the wrong way round', [shell.toReversed(), hole.toReversed()], WHOLE - HOLE],
    ['a ring that is not closed', [shell.slice(0, 4)], WHOLE],
    [
      'a ring there and back beside a good one',
      [
        shell,
        [
          [X, Y],
          [X + 0.001, Y],
          [X, Y],
        ],
      ],
      WHOLE,
    ],
  ])('%s', async (_, rings, expected) => {
    const [staged] = await read('acres', [rings]);
    expect(staged).toMatchObject({ ok: true });
    expect((staged as { staged: { acres: number } }).staged.acres).toBeCloseTo(expected, 4);
  });
});

test('invalid coordinates cost the row its shape', async () => {
  const most = -Number.MAX_VALUE;
  const found = await read('none', [
    [shell],
    [Array(4).fill([most, most])],
    [
      [
        [X, Y],
        [Number.NaN, Number.NaN],
        [X + 0.001, Y],
        [X, Y],
      ],
    ],
    [other],
  ]);
  expect(found.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  for (const staged of found)
    if (!staged.ok)
      expect(staged.reason).toMatch(/^(not_finite|out_of_range|no_area|unreadable|not_degrees)$/);
});

describe('a zip', () => {
  const parts = {
    shp: shpOf(5, [shpRecord([shell])]),
    dbf: makeDbf([{ name: 'PID', type: 'C', length: 4 }], [{ cells: ['7'] }]),
  };
  const rowsOf = async (bytes: Buffer) => {
    folder.put('z.zip', bytes);
    const { rows } = await readAll({ source: 'z.zip', format: 'shapefile' }, context);
    return rows.map(({ values }) => values.PID);
  };

  test('with extensions in mixed case in a folder is read', async () => {
    expect(await rowsOf(makeZip({ 'GIS/Lots.Shp': parts.shp, 'GIS/Lots.DBF': parts.dbf }))).toEqual(['7']);
  });

  test("with a Mac's resource files is read", async () => {
    const doubles = { '__MACOSX/._Lots.shp': 'Mac OS X', '__MACOSX/._Lots.dbf': 'Mac OS X' };
    expect(await rowsOf(makeZip({ 'Lots.shp': parts.shp, 'Lots.dbf': parts.dbf, ...doubles }))).toEqual([
      '7',
    ]);
  });

  test('whose local headers differ from its directory is read by the directory', async () => {
    const bytes = makeZip({ 'release/Lots.shp': parts.shp, 'release/Lots.dbf': parts.dbf });
    const directory = bytes.indexOf('PK\x01\x02');
    const renamed = bytes.toString('latin1', directory).replaceAll('release/', 'staging/');
    const outside = bytes.toString('latin1', directory).replaceAll('release/', '../../x/');
    const withDirectory = (text: string) =>
      Buffer.concat([bytes.subarray(0, directory), Buffer.from(text, 'latin1')]);
    expect(await rowsOf(withDirectory(renamed))).toEqual(['7']);
    await expect(rowsOf(withDirectory(outside))).rejects.toMatchObject({ name: 'PlatError' });
  });
});

describe('GeoJSON', () => {
  const json = readerOf('geojson', 'a.geojson');
  const feature = (coordinates: number[][][]) => ({
    type: 'Feature',
    properties: { PID: '00001' },
    geometry: { type: 'Polygon', coordinates },
  });
  const collection = (more: object, coordinates: number[][][] = [shell]) =>
    JSON.stringify({ type: 'FeatureCollection', ...more, features: [feature(coordinates)] });

  test('with a byte order mark is read', async () => {
    expect((await json(`\uFEFF${collection({})}`)).rows).toHaveLength(1);
  });

  test.each([
    ['of a name', { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } }],
    ['of a code', { type: 'EPSG', properties: { code: '3857' } }],
  ])('in Web Mercator is read with a crs %s', async (_, crs) => {
    const [w, s] = [-8_026_135, 5_336_500];
    const ring = [
      [w, s],
      [w + 100, s],
      [w + 100, s + 100],
      [w, s],
    ];
    const { rows } = await json(collection({ crs }, [ring]));
    const [lon, lat] = (rows[0]!.geometry as unknown as { coordinates: number[][][] }).coordinates[0]![0]!;
    // The inverse of the spherical projection.
    expect(lon).toBeCloseTo((w / 6_378_137) * (180 / Math.PI), 7);
    expect(lat).toBeCloseTo(Math.atan(Math.sinh(s / 6_378_137)) * (180 / Math.PI), 7);
  });
});
