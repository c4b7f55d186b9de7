import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openElevation } from '../../../shared/raster/elevation-grid.ts';
import { readTileHeader } from '../../../shared/raster/tiff-header.ts';
import { expectSame, lot, signal, terrainIn } from '../../support/elevation.ts';
import { testFolder } from '../../support/folder.ts';
import { projectedKeys, type TiffOptions } from '../../support/geotiff.ts';
import { heightM, STEEP, UTM_19N, writePlane, writeProjected } from '../../support/steep.ts';

const folder = testFolder();
const inFolder = (name: string) => join(folder, name);

function plane(name: string, percent: number, options: Partial<TiffOptions> = {}): string {
  writePlane(inFolder(name), percent, options);
  return inFolder(name);
}

describe('a parcel on a grid', () => {
  test('on a slope of 12 % is all steeper than 10 %, and nowhere steeper than 15 %', async () => {
    const file = plane('plane.tif', 12);
    const terrain = await terrainIn([file], lot(203, 317, 451, 518));
    expect(terrain?.steeperPercent).toEqual([100, 100, 100, 100, 100, 0, 0, 0, 0, 0, 0]);
    expect(terrain?.meanSlopePercent).toBeCloseTo(12, 3);
    expect(terrain?.minElevationM).toBeCloseTo(100 + 205 * 0.12, 4);
    expect(terrain?.maxElevationM).toBeCloseTo(100 + 455 * 0.12, 4);
    expect(terrain?.meanElevationM).toBeCloseTo(100 + 327 * 0.12, 2);
  });

  test('a lot smaller than a cell has that cell', async () => {
    const file = plane('plane.tif', 12);
    const terrain = await terrainIn([file], lot(502, 502, 503, 504));
    expect(terrain).toMatchObject({ minElevationM: expect.closeTo(160.6, 4) });
    expect(terrain?.maxElevationM).toBe(terrain?.minElevationM);
    expect(terrain?.steeperPercent[4]).toBe(100);
  });

  test('elevations in feet give the same result as in meters', async () => {
    const feet = plane('feet.tif', 12, { at: column => (100 + (column + 0.5) * 1.2) / 0.3048 });
    const meters = await terrainIn([plane('plane.tif', 12)], lot(200, 300, 450, 520));
    expectSame(await terrainIn([feet], lot(200, 300, 450, 520), { unit: 'feet' }), meters, 3);
  });

  test('parts and holes', async () => {
    // Steep in the east half, flat in the west.
    const file = plane('half.tif', 0, { at: column => Math.max(0, column - 50) * 3 });
    const [west] = lot(100, 100, 300, 200);
    const [east] = lot(600, 100, 700, 200);
    const terrain = await terrainIn([file], [west!, east!]);
    expect(terrain?.steeperPercent[7]).toBeCloseTo(100 / 3, 2);
    const [outer] = lot(600, 300, 900, 600);
    const [inner] = lot(700, 400, 800, 500);
    const ring = await terrainIn([file], [[outer![0]!, inner![0]!.toReversed()]]);
    expect(ring?.minElevationM).toBeCloseTo(30, 4);
    expect(ring?.meanElevationM).toBeCloseTo(3 * 24.5, 2);
  });

  test.each([
    ['float32', -9999],
    ['int16', -9999],
    ['int16', -32768],
    ['float32', -3.4028234663852886e38],
    ['float64', 1e20],
    ['uint16', 65535],
    ['float32', 7000.5],
    ['float32', -500.5],
  ] as const)('a value of %s that no land has is no data, declared or not: %s', async (sample, fill) => {
    const at = (column: number) => (column < 30 ? fill : 100);
    const file = plane('fill.tif', 0, { sample, at });
    // A third of it in the fill: what is left is flat, without a cliff at its edge.
    expect(await terrainIn([file], lot(200, 100, 500, 200))).toMatchObject({
      minElevationM: 100,
      maxElevationM: 100,
      meanSlopePercent: 0,
    });
    expect(await terrainIn([file], lot(0, 100, 300, 200))).toBeNull();
    const beneath = plane('beneath.tif', 0, { at: () => 50 });
    const filled = await terrainIn([file, beneath], lot(0, 100, 200, 200));
    expect(filled).toMatchObject({ minElevationM: 50, maxElevationM: 50 });
  });

  test('may be at any elevation from 500 m below sea level to 7,000 m above, in any unit', async () => {
    for (const [height, declared] of [
      [-499, {}],
      [6999, {}],
      [20_310, { unit: 'feet' as const }],
      [-282, { unit: 'feet' as const }],
    ] as const) {
      const file = plane('height.tif', 0, { at: () => height });
      const meters = 'unit' in declared ? height * 0.3048 : height;
      expect((await terrainIn([file], lot(100, 100, 200, 200), declared))?.meanElevationM).toBeCloseTo(
        meters,
        2,
      );
    }
    const feet = plane('feet-fill.tif', 0, { at: () => -9999 });
    expect(await terrainIn([feet], lot(100, 100, 200, 200), { unit: 'feet' })).toBeNull();
  });

  test('nodata is left out; with data for less than half of the area, the result is unknown', async () => {
    const gap = plane('gap.tif', 12, {
      nodata: '-9999',
      at: column => (column < 50 ? -9999 : 1.2 * column),
    });
    // Slopes begin one cell within the data, at 510 m.
    expect((await terrainIn([gap], lot(461, 100, 561, 200)))?.steeperPercent[4]).toBe(100);
    expect(await terrainIn([gap], lot(459, 100, 559, 200))).toBeNull();
    expect(await terrainIn([gap], lot(100, 100, 200, 200))).toBeNull();
    expect(await terrainIn([gap], lot(-5000, 100, -4900, 200))).toBeNull();
  });

  test.each([
    ['the lowest float, written short', 'float32', '-3.40282e+38', -3.4028234663852886e38],
    ['NaN', 'float32', 'nan', Number.NaN],
    ['-9999.9 as a float holds it', 'float32', '-9999.9', -9999.9],
    ['the lowest integer', 'int16', '-32768', -32768],
  ] as const)('nodata of %s', async (_, sample, nodata, hole) => {
    const at = (column: number) => (column < 50 ? hole : 6 * column);
    const file = plane('nodata.tif', 0, { sample, nodata, at });
    const terrain = await terrainIn([file], lot(462, 100, 562, 200));
    expect(terrain?.minElevationM).toBe(300);
    expect(terrain?.meanSlopePercent).toBeCloseTo(60, 4);
  });

  test('a block that a sparse file leaves out has no data', async () => {
    const file = plane('sparse.tif', 12, { tile: 32, absent: index => index === 5 });
    const terrain = await terrainIn([file], lot(600, 500, 800, 600));
    expect(terrain?.minElevationM).toBeCloseTo(100 + 645 * 0.12, 4);
    expect(terrain?.steeperPercent[4]).toBe(100);
    expect(await terrainIn([file], lot(330, 400, 600, 660))).toBeNull();
  });

  test('a parcel larger than the cache is read in strips, with the same figures', async () => {
    const file = inFolder('large.tif');
    writeProjected(file, 5, { tile: 128, deflate: true });
    const tile = await readTileHeader(file, {}, { signal });
    const whole = lot(50, 50, 5950, 5950);
    const small = openElevation([tile], { signal, cacheBytes: 1 });
    const terrain = await small.terrainOf(whole);
    await small.close();
    expectSame(terrain, await terrainIn([file], whole));
    // Against the hills themselves.
    let sum = 0;
    for (let x = 55; x < 5950; x += 10)
      for (let y = 55; y < 5950; y += 10) sum += heightM(STEEP.x + x, STEEP.y + y);
    expect(terrain?.meanElevationM).toBeCloseTo(sum / 590 ** 2, 1);
  });
});

describe('file layouts', () => {
  const plain = inFolder('plain.tif');
  beforeAll(() => writeProjected(plain, 10));
  const shape = lot(1003, 1217, 1451, 1718);

  test.each<[string, Partial<TiffOptions>]>([
    ['tiles, deflate', { tile: 64, deflate: true }],
    ['tiles, with an overview', { tile: 64, deflate: true, overview: true }],
    ['strips of one row', { stripRows: 1 }],
    ['strips, deflate', { stripRows: 7, deflate: true }],
    ['big-endian tiles', { tile: 64, bigEndian: true, deflate: true }],
    ['doubles', { sample: 'float64', tile: 128 }],
    ['PixelIsPoint', { keys: { ...projectedKeys(UTM_19N), 1025: 2 }, grid: shifted(5, -5) }],
    ['south up', { grid: { originX: STEEP.x, originY: STEEP.y, stepX: 10, stepY: 10 }, at: southUp }],
  ])('%s', async (name, options) => {
    const other = inFolder(`${name}.tif`);
    writeProjected(other, 10, options);
    expectSame(await terrainIn([other], shape), await terrainIn([plain], shape), 3);
  });

  test('whole meters', async () => {
    const file = inFolder('metres.tif');
    writeProjected(file, 10, { sample: 'int16', tile: 64, deflate: true });
    const [rounded, exact] = [await terrainIn([file], shape), await terrainIn([plain], shape)];
    expect(Math.abs(rounded!.meanSlopePercent - exact!.meanSlopePercent)).toBeLessThan(1);
  });

  function shifted(x: number, y: number) {
    return { originX: STEEP.x + x, originY: STEEP.y + STEEP.sizeM + y, stepX: 10, stepY: -10 };
  }
  function southUp(column: number, row: number) {
    return heightM(STEEP.x + (column + 0.5) * 10, STEEP.y + (row + 0.5) * 10);
  }
});
