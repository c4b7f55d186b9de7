import { join } from 'node:path';
import type { Geometry, Position } from 'geojson';
import { describe, expect, test } from 'vitest';
import { renderCheck } from '../../../../cli/feed-check-report.ts';
import { checkFeed } from '../../../../workers/ingest/check-feed.ts';
import { testFolder } from '../../../support/folder.ts';
import { geographicKeys, writeTiff } from '../../../support/geotiff.ts';
import { type Feature, feedOf, lot, lotRings, writeFeatures } from '../../../support/ingest.ts';
import { road, writeRoads } from '../../../support/layers.ts';

// In Sullivan County, New Hampshire (33019), as the lots and lines of test/support.
const folder = testFolder();

const swap = ([x, y]: Position): Position => [y!, x!];
const many = <T>(of: (n: number) => T): T[] => Array.from({ length: 20 }, (_, n) => of(n));

describe("plat feed check reports what a run would report about a layer's location", () => {
  function check(features: Feature[], more: Record<string, unknown> = {}) {
    writeRoads(folder, 'roads', features);
    const layer = { source: 'roads.ndgeojson', format: 'ndgeojson' };
    return checkFeed(feedOf(folder, { name: 'roads', kind: 'roads', layer, ...more }));
  }
  const roads = many(n => road(n));

  test('longitude and latitude swapped', async () => {
    const swapped = roads.map(({ properties, geometry }): Feature => {
      const { coordinates } = geometry as { coordinates: Position[] };
      return { properties, geometry: { type: 'LineString', coordinates: coordinates.map(swap) } };
    });
    expect(await check(swapped)).toMatchObject({
      ok: false,
      problems: [
        expect.stringMatching(
          /^layer: 20 of 20 features .*United States.*43\.2 to 43\.219.* -72\.15 to -72\.14.*CRS/,
        ),
      ],
    });
  });

  test('another county; one feature of a hundred may lie outside', async () => {
    expect(await check(roads, { fips: '33019' })).toMatchObject({ ok: true, problems: [] });
    expect((await check(roads, { fips: '23019' })).problems).toEqual([
      expect.stringMatching(/^layer: 20 of 20 features .*county.* -72\.15 to /),
    ]);
    const gates = { max_outside_percent: 100 };
    expect((await check(roads, { fips: '23019', gates })).problems).toEqual([]);
  });

  test('a coverage without features, and one with too many beside it', async () => {
    expect(await check(roads, { coverage: [-91, 42, -88, 44] })).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^layer: 20 of 20 features .*coverage.*\b100\.0%/)],
    });
    // The lines lie 0.001 degree apart, from 43.2 to 43.219 N.
    expect((await check(roads, { coverage: [-73, 43.201, -72, 44] })).problems).toEqual([]);
    expect((await check(roads, { coverage: [-73, 43.202, -72, 44] })).problems).toEqual([
      expect.stringMatching(/^layer: 2 of 20 features .*\b10\.0%.*\b5%/),
    ]);
    const paths = many(n => road(n, 'S1710'));
    expect((await check([road(30), ...paths], { coverage: [-73, 43.23, -72, 44] })).problems).toEqual([
      expect.stringMatching(/^layer: 20 of 21 features .* \(95\.2%/),
    ]);
  });

  test("a layer located only by its features: the box is shown, including those that don't count", async () => {
    const found = await check([...roads, road(25, 'S1820')]);
    expect(found).toMatchObject({ ok: true, extent: [-72.15, 43.2, -72.14, 43.225] });
    expect(found.warnings).toEqual([
      expect.stringMatching(/^layer: .*fips.*coverage.* -72\.15 to -72\.14.* 43\.2 to 43\.225/),
    ]);
    expect(renderCheck(found)).toContain(`\n  ${found.warnings[0]}\n`);
    expect((await check(roads, { fips: '33019' })).warnings).toEqual([]);
    expect((await check(roads, { coverage: [-73, 43, -72, 44] })).warnings).toEqual([]);
  });
});

test('elevation of another county', async () => {
  writeTiff(join(folder, 'dem.tif'), {
    width: 4,
    height: 4,
    at: () => 7,
    keys: geographicKeys(4269),
    grid: { originX: -73, originY: 44, stepX: 0.25, stepY: -0.25 },
  });
  const check = (fips: string) =>
    checkFeed(feedOf(folder, { name: 'h', kind: 'elevation', fips, elevation: { source: 'dem.tif' } }));
  expect((await check('33019')).problems).toEqual([]);
  expect((await check('23019')).problems).toEqual([
    expect.stringMatching(/^elevation: 1 of 1 tiles .*county.* -73 to -72.* 43 to 44.*CRS/),
  ]);
});

describe('a run with nothing to merge is blocked, and the check says so', () => {
  const check = (name: string, features: Feature[], more: Record<string, unknown>, rows?: number) => {
    writeFeatures(join(folder, `${name}.ndgeojson`), features);
    return checkFeed(feedOf(folder, { name, ...more }), rows === undefined ? {} : { rows });
  };
  const wetland = (n: number, ATTRIBUTE: string) => ({ properties: { ATTRIBUTE }, geometry: lot(n) });
  const layer = { source: 'w.ndgeojson', format: 'ndgeojson' };
  const wetlands = { kind: 'wetlands', fips: '33019', layer };

  test('a layer without features that count', async () => {
    expect(await check('w', [wetland(0, 'U')], wetlands)).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^layer: .*\b1 feature/)],
      parts: [{ usable: 0, whole: true }],
    });
    expect(await check('w', [wetland(0, 'U'), wetland(1, 'PUBH')], wetlands)).toMatchObject({
      ok: true,
      problems: [],
      warnings: [],
      parts: [{ usable: 1 }],
    });
    const skip_where = [{ column: 'ATTRIBUTE', equals: 'PUBH' }];
    const skipped = { ...wetlands, layer: { ...layer, skip_where } };
    expect((await check('w', [wetland(1, 'PUBH')], skipped)).problems).toEqual([
      expect.stringMatching(/^layer: .*\b1 feature/),
    ]);
  });

  test('rows beyond the first may follow', async () => {
    const rows = [wetland(0, 'U'), wetland(1, 'U'), wetland(2, 'PUBH')];
    expect(await check('w', rows, wetlands, 2)).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/^layer: .*\b2 features/)],
      parts: [{ usable: 0, whole: false }],
    });
  });

  test('a roll with all rows left out', async () => {
    const roll = {
      source: 'r.ndgeojson',
      format: 'ndgeojson',
      key: 'PIN',
      skip_where: [{ column: 'PIN', equals: 'P0' }],
    };
    const feed = { kind: 'assessor', fips: '33019', roll };
    const parcel = (n: number) => ({ properties: { PIN: `P${n}` }, geometry: lot(n) });
    expect(await check('r', [parcel(0)], feed)).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^roll: .*\brow/)],
    });
    expect((await check('r', [parcel(0), parcel(1)], feed)).problems).toEqual([]);
  });
});

describe('a few cells of an elevation file reveal', () => {
  async function check(at: (column: number, row: number) => number, section: object = {}, size = 64) {
    const step = 1 / size;
    writeTiff(join(folder, 'cells.tif'), {
      width: size,
      height: size,
      tile: 32,
      at,
      keys: geographicKeys(4269),
      sample: 'float32',
      grid: { originX: -73, originY: 44, stepX: step, stepY: -step },
    });
    const elevation = { source: 'cells.tif', ...section };
    const found = await checkFeed(feedOf(folder, { name: 'h', kind: 'elevation', elevation }));
    return { ...found, text: renderCheck(found) };
  }

  test('the range of elevations, and a missing unit', async () => {
    // The first block holds the columns 0 to 31, the one in the middle 32 to 63.
    const { ok, warnings, text } = await check(column => 100.5 + column);
    expect([ok, warnings]).toEqual([true, []]);
    expect(text).toMatch(/elevations .*\b100\.5 to 163\.5 m\b.*\b2048 sampled cells.*\b0\b/);
    expect(text).toMatch(/elevations .*\b1 m\b.*default/);
    const feet = await check(column => 100 + column, { vertical_unit: 'feet' });
    expect(feet.text).toMatch(/elevations .*\b0\.3048 m\b/);
    expect(feet.text).not.toContain('default');
    expect(feet.text).toMatch(/elevations .*\b30\.5 to 49\.7 m\b/);
  });

  test('the range from strips all over a file with strips of one row each', async () => {
    writeTiff(join(folder, 'strips.tif'), {
      width: 20,
      height: 81,
      stripRows: 1,
      keys: geographicKeys(4269),
      at: (_, row) => (row === 40 ? -9999 : row),
      grid: { originX: -73, originY: 44, stepX: 0.01, stepY: -0.01 },
    });
    const elevation = { source: 'strips.tif' };
    const found = await checkFeed(feedOf(folder, { name: 'h', kind: 'elevation', elevation }));
    expect(found.tiles!.tiles[0]!.heights).toEqual({
      cells: 180,
      lowestM: 0,
      highestM: 80,
      dropped: 20,
      droppedValue: -9999,
    });
  });

  test('a file with damaged cells and an intact header', async () => {
    const grid = { originX: -73, originY: 44, stepX: 0.1, stepY: -0.1 };
    // Says that it is compressed, and is not.
    const cells = { width: 10, height: 10, at: () => 7, keys: geographicKeys(4269), compression: 8 };
    writeTiff(join(folder, 'damaged.tif'), { ...cells, grid });
    const elevation = { source: 'damaged.tif' };
    const found = await checkFeed(feedOf(folder, { name: 'h', kind: 'elevation', elevation }));
    expect(found.tiles!.tiles[0]!.heights).toBeNull();
    expect(found.warnings).toEqual([expect.stringMatching(/^elevation: .*damaged\.tif: .*cells 0-9, /)]);
  });

  test('an undeclared fill value', async () => {
    const fill = (column: number) => (column < 4 ? -9999 : 200);
    const { ok, warnings, text, tiles } = await check(fill);
    expect(ok).toBe(true);
    expect(tiles!.tiles[0]!.heights).toEqual({
      cells: 2048,
      lowestM: 200,
      highestM: 200,
      dropped: 128,
      droppedValue: -9999,
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^elevation: 128\b.*\b2048 sampled cells.*cells\.tif.*-9999.*elevation\.nodata/),
    ]);
    expect(text).toMatch(/:\n {2}elevation: 128\b/);
    expect((await check(fill, { nodata: -9999 })).warnings).toEqual([]);
    expect((await check(column => (column < 4 ? -999 : 200), { vertical_unit: 'feet' })).warnings).toEqual([
      expect.stringMatching(/-304\.5 m.*-86 m/),
    ]);
    expect((await check(() => -9999)).text).toMatch(/elevations .*\b2048 sampled cells.*\b2048\b/);
  });
});

describe('plat feed check for parcels', () => {
  const lots = (geometryOf: (n: number) => Geometry | null): Feature[] =>
    many(n => ({ properties: { PIN: `P${n}` }, geometry: geometryOf(n) }));
  function check(features: Feature[], fips: string) {
    writeFeatures(join(folder, 'lots.ndgeojson'), features);
    const roll = { source: 'lots.ndgeojson', format: 'ndgeojson', key: 'PIN', columns: { apn: 'PIN' } };
    return checkFeed(feedOf(folder, { name: 'lots', kind: 'assessor', fips, roll }));
  }

  test('reports another county, or swapped longitude and latitude', async () => {
    expect(await check(lots(lot), '33019')).toMatchObject({ ok: true, problems: [] });
    expect((await check(lots(lot), '23019')).problems).toEqual([
      expect.stringMatching(/^20 of 20 parcels .*county.*\b23019\b.* -72\.14.*CRS/),
    ]);
    const swapped = (n: number): Geometry => ({
      type: 'Polygon',
      coordinates: lotRings(n).map(ring => ring.map(swap)),
    });
    expect((await check(lots(swapped), '33019')).problems).toEqual([
      expect.stringMatching(/^20 of 20 parcels .*county.*\b33019\b.* 43\.2/),
    ]);
  });

  test('replaces an unusable geometry with null, as in a run', async () => {
    const off: Geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [43, -122],
          [44, -122],
          [44, -121],
          [43, -122],
        ],
      ],
    };
    const [part] = (
      await check(
        lots(n => (n === 3 ? off : lot(n))),
        '33019',
      )
    ).parts;
    expect(part!.dropped).toMatchObject([
      { field: 'geometry', reason: 'geometry_out_of_range', count: 1, rowNo: 4 },
    ]);
  });

  test('warns about a word in place of a key on many shapes', async () => {
    const named = (n: number) => ({ properties: { PIN: n < 12 ? 'na' : `P${n}` }, geometry: lot(n) });
    expect(await check(many(named), '33019')).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/^roll: 12 features .*\bNA\b/)],
    });
    expect((await check(lots(lot), '33019')).warnings).toEqual([]);
  });

  test('rejects a feature that is nested too deeply as one row', async () => {
    const nested = JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`);
    const deep = { type: 'Polygon', coordinates: nested } as Geometry;
    const [part] = (
      await check(
        lots(n => (n === 3 ? deep : lot(n))),
        '33019',
      )
    ).parts;
    expect(part!.rejected).toMatchObject([{ reason: 'unreadable_row', count: 1, rowNo: 4 }]);
  });
});

describe('plat feed check says that a layer of points has no boundaries', () => {
  const check = (features: Feature[]) => {
    writeFeatures(join(folder, 'points.ndgeojson'), features);
    const roll = { source: 'points.ndgeojson', format: 'ndgeojson', key: 'PIN', columns: { apn: 'PIN' } };
    return checkFeed(feedOf(folder, { name: 'points', kind: 'assessor', fips: '33019', roll }));
  };
  const point = (n: number): Feature => ({
    properties: { PIN: `P${n}` },
    geometry: { type: 'Point', coordinates: lotRings(n)[0]![0]! },
  });

  test('only for points, and not for points among areas', async () => {
    const alone = await check(many(point));
    expect([alone.ok, alone.parts[0]?.usable, alone.parts[0]?.dropped]).toEqual([true, 20, []]);
    expect(alone.warnings).toEqual([expect.stringMatching(/points.*boundaries/)]);
    const among = await check([...many(point), { properties: { PIN: 'A' }, geometry: lot(1) }]);
    expect(among.warnings).toEqual([]);
  });
});
