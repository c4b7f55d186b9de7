import { join } from 'node:path';
import type { Geometry, Position } from 'geojson';
import { afterAll, describe, expect, test } from 'vitest';
import { checkFeed, renderCheck } from '../../../workers/feeds/check.ts';
import { geographicKeys, writeTiff } from '../../support/geotiff.ts';
import { type Feature, feedOf, lot, lotRings, tempFolder, writeFeatures } from '../../support/ingest.ts';
import { road, writeRoads } from '../../support/layers.ts';

// In Sullivan County, New Hampshire (33019), as the lots and lines of test/support.
const folder = tempFolder();
afterAll(folder.remove);

const swap = ([x, y]: Position): Position => [y!, x!];
const many = <T>(of: (n: number) => T): T[] => Array.from({ length: 20 }, (_, n) => of(n));

describe('plat feed check says what the gate would say of where a layer lies', () => {
  function check(features: Feature[], more: Record<string, unknown> = {}) {
    writeRoads(folder.path, 'roads', features);
    const layer = { source: 'roads.ndgeojson', format: 'ndgeojson' };
    return checkFeed(feedOf(folder.path, { name: 'roads', kind: 'roads', layer, ...more }));
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
        'layer: 20 of 20 features lie outside the United States (longitudes 43.2 to 43.219, latitudes -72.15 to -72.14): is the CRS right?',
      ],
    });
  });

  test('another county; one feature of a hundred may lie outside', async () => {
    expect(await check(roads, { fips: '33019' })).toMatchObject({ ok: true, problems: [] });
    expect((await check(roads, { fips: '23019' })).problems).toEqual([
      expect.stringMatching(/^layer: 20 of 20 features lie outside the county \(longitudes -72\.15 to /),
    ]);
    const gates = { max_outside_percent: 100 };
    expect((await check(roads, { fips: '23019', gates })).problems).toEqual([]);
  });

  test('a layer whose place only its features tell: the box is shown, those that do not count included', async () => {
    const found = await check([...roads, road(25, 'S1740')]);
    expect(found).toMatchObject({ ok: true, extent: [-72.15, 43.2, -72.14, 43.225] });
    const box = 'longitudes -72.15 to -72.14, latitudes 43.2 to 43.225';
    expect(found.warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^layer: neither fips nor coverage is given: .* \\(those read here: ${box}\\)`),
      ),
    ]);
    expect(renderCheck(found)).toMatch(
      /Warnings:\n {2}layer: neither fips nor coverage .*\n\nNo problems found/,
    );
    expect((await check(roads, { fips: '33019' })).warnings).toEqual([]);
    expect((await check(roads, { coverage: [-73, 43, -72, 44] })).warnings).toEqual([]);
  });
});

test('heights of another county', async () => {
  writeTiff(join(folder.path, 'dem.tif'), {
    ...{ width: 4, height: 4, at: () => 7, keys: geographicKeys(4269) },
    grid: { originX: -73, originY: 44, stepX: 0.25, stepY: -0.25 },
  });
  const check = (fips: string) =>
    checkFeed(feedOf(folder.path, { name: 'h', kind: 'elevation', fips, elevation: { source: 'dem.tif' } }));
  expect((await check('33019')).problems).toEqual([]);
  expect((await check('23019')).problems).toEqual([
    'elevation: 1 of 1 tiles lie outside the county (longitudes -73 to -72, latitudes 43 to 44): is the CRS right?',
  ]);
});

describe('of parcels', () => {
  const lots = (geometryOf: (n: number) => Geometry | null): Feature[] =>
    many(n => ({ properties: { PIN: `P${n}` }, geometry: geometryOf(n) }));
  function check(features: Feature[], fips: string) {
    writeFeatures(join(folder.path, 'lots.ndgeojson'), features);
    const roll = { source: 'lots.ndgeojson', format: 'ndgeojson', key: 'PIN', columns: { apn: 'PIN' } };
    return checkFeed(feedOf(folder.path, { name: 'lots', kind: 'assessor', fips, roll }));
  }

  test('another county, or longitude and latitude swapped', async () => {
    expect(await check(lots(lot), '33019')).toMatchObject({ ok: true, problems: [] });
    expect((await check(lots(lot), '23019')).problems).toEqual([
      expect.stringMatching(
        /^20 of 20 parcels lie outside the county \(23019: longitudes -72\.14.* is the CRS right\?$/,
      ),
    ]);
    const swapped = (n: number): Geometry => ({
      type: 'Polygon',
      coordinates: lotRings(n).map(ring => ring.map(swap)),
    });
    expect((await check(lots(swapped), '33019')).problems).toEqual([
      expect.stringMatching(/^20 of 20 parcels lie outside the county \(33019: longitudes 43\.2/),
    ]);
  });

  test('a geometry that is of no use becomes null, as in a run', async () => {
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
});
