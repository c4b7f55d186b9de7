import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MultiPolygon } from '../../../shared/kernels/geometry/types.ts';
import { openElevation, type Terrain } from '../../../workers/elevation/elevation.ts';
import { type ElevationTile, readTileHeader } from '../../../workers/elevation/header.ts';
import { gridFolder, rectangle, signal, terrainIn } from '../../support/elevation.ts';
import { projectedKeys, type TiffOptions, writeTiff } from '../../support/geotiff.ts';
import { fromUtm, heightM, STEEP, UTM_19N, writeGeographic, writeProjected } from '../../support/steep.ts';

const folder = gridFolder();
const inFolder = (name: string) => join(folder, name);

/** A box in metres from the south-west corner of the hills. */
const lot = (minX: number, minY: number, maxX: number, maxY: number): MultiPolygon =>
  rectangle(fromUtm, [STEEP.x + minX, STEEP.y + minY, STEEP.x + maxX, STEEP.y + maxY]);

const header = (file: string, declared = {}) => readTileHeader(file, declared, { signal });

function expectSame(actual: Terrain | null, expected: Terrain | null, digits = 9): void {
  expect(expected).not.toBeNull();
  for (const key of ['minElevationM', 'meanElevationM', 'maxElevationM', 'meanSlopePercent'] as const) {
    expect(actual?.[key]).toBeCloseTo(expected![key], digits);
  }
  actual?.steeperPercent.forEach((share, i) => {
    expect(share).toBeCloseTo(expected!.steeperPercent[i]!, digits);
  });
}

const written = new Set<string>();

/** Writes a grid that several tests read once. */
function once(name: string, write: (path: string) => void): string {
  if (!written.has(name)) write(inFolder(name));
  written.add(name);
  return inFolder(name);
}
const large = () => once('large.tif', path => writeProjected(path, 5, { tile: 128, deflate: true }));
const plain = () => once('plain.tif', path => writeProjected(path, 10));

/** A plane that rises by `percent` towards the east from 100 m, on a grid of 10 m in UTM. */
function writePlane(name: string, percent: number, options: Partial<TiffOptions> = {}): string {
  writeTiff(inFolder(name), {
    width: 100,
    height: 100,
    at: column => 100 + ((column + 0.5) * 10 * percent) / 100,
    grid: { originX: STEEP.x, originY: STEEP.y + 1000, stepX: 10, stepY: -10 },
    keys: projectedKeys(UTM_19N),
    ...options,
  });
  return inFolder(name);
}

describe('a parcel on a grid', () => {
  test('on a slope of 12 % all of it is steeper than 10 % and nothing than 15 %', async () => {
    const file = writePlane('plane.tif', 12);
    const terrain = await terrainIn([file], lot(203, 317, 451, 518));
    expect(terrain?.steeperPercent).toEqual([100, 100, 100, 100, 100, 0, 0, 0, 0, 0, 0]);
    expect(terrain?.meanSlopePercent).toBeCloseTo(12, 3);
    expect(terrain?.minElevationM).toBeCloseTo(100 + 205 * 0.12, 4);
    expect(terrain?.maxElevationM).toBeCloseTo(100 + 455 * 0.12, 4);
    expect(terrain?.meanElevationM).toBeCloseTo(100 + 327 * 0.12, 2);
  });

  test('a lot smaller than a cell has that cell', async () => {
    const file = writePlane('plane.tif', 12);
    const terrain = await terrainIn([file], lot(502, 502, 503, 504));
    expect(terrain).toMatchObject({ minElevationM: expect.closeTo(160.6, 4) });
    expect(terrain?.maxElevationM).toBe(terrain?.minElevationM);
    expect(terrain?.steeperPercent[4]).toBe(100);
  });

  test('heights in feet give the same as the same heights in metres', async () => {
    const feet = writePlane('feet.tif', 12, { at: column => (100 + (column + 0.5) * 1.2) / 0.3048 });
    const plane = await terrainIn([writePlane('plane.tif', 12)], lot(200, 300, 450, 520));
    expectSame(await terrainIn([feet], lot(200, 300, 450, 520), { unit: 'feet' }), plane, 3);
  });

  test('parts and holes', async () => {
    // Steep in the east half, flat in the west.
    const file = writePlane('half.tif', 0, { at: column => Math.max(0, column - 50) * 3 });
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

  test('nodata is left out; with data for less than half of the area nothing is said', async () => {
    const gap = writePlane('gap.tif', 12, {
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
    const file = writePlane('nodata.tif', 0, { sample, nodata, at });
    const terrain = await terrainIn([file], lot(462, 100, 562, 200));
    expect(terrain?.minElevationM).toBe(300);
    expect(terrain?.meanSlopePercent).toBeCloseTo(60, 4);
  });

  test('a block that a sparse file leaves out has no data', async () => {
    const file = writePlane('sparse.tif', 12, { tile: 32, absent: index => index === 5 });
    const terrain = await terrainIn([file], lot(600, 500, 800, 600));
    expect(terrain?.minElevationM).toBeCloseTo(100 + 645 * 0.12, 4);
    expect(terrain?.steeperPercent[4]).toBe(100);
    expect(await terrainIn([file], lot(330, 400, 600, 660))).toBeNull();
  });

  test('a parcel larger than the cache is read in strips, to the same figures', async () => {
    const file = large();
    const tile = await header(file);
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

describe('layouts of files', () => {
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
    expectSame(await terrainIn([other], shape), await terrainIn([plain()], shape), 3);
  });

  test('whole metres', async () => {
    const file = inFolder('metres.tif');
    writeProjected(file, 10, { sample: 'int16', tile: 64, deflate: true });
    const [rounded, exact] = [await terrainIn([file], shape), await terrainIn([plain()], shape)];
    expect(Math.abs(rounded!.meanSlopePercent - exact!.meanSlopePercent)).toBeLessThan(1);
  });

  function shifted(x: number, y: number) {
    return { originX: STEEP.x + x, originY: STEEP.y + STEEP.sizeM + y, stepX: 10, stepY: -10 };
  }
  function southUp(column: number, row: number) {
    return heightM(STEEP.x + (column + 0.5) * 10, STEEP.y + (row + 0.5) * 10);
  }
});

describe('tiles of one grid', () => {
  /** The hills at a cell of the whole grid of 10 m. */
  const hill = (column: number, row: number) =>
    heightM(STEEP.x + (column + 0.5) * 10, STEEP.y + STEEP.sizeM - (row + 0.5) * 10);

  /** Cells [left, right) x [top, bottom) of the hills on 10 m, as a file of their own. */
  function cut(name: string, [left, top, right, bottom]: [number, number, number, number], lift = 0): string {
    const north = STEEP.y + STEEP.sizeM;
    writeTiff(inFolder(name), {
      width: right - left,
      height: bottom - top,
      at: (column, row) =>
        heightM(STEEP.x + (left + column + 0.5) * 10, north - (top + row + 0.5) * 10) + lift,
      tile: 64,
      deflate: true,
      grid: { originX: STEEP.x + left * 10, originY: north - top * 10, stepX: 10, stepY: -10 },
      keys: projectedKeys(UTM_19N),
    });
    return inFolder(name);
  }
  const shapes = [
    lot(2700, 2700, 3300, 3300),
    lot(2995, 100, 3005, 900),
    lot(2980, 2980, 3020, 3020),
    lot(2000, 2000, 4500, 4500),
  ];

  async function expectAsWhole(files: string[]): Promise<void> {
    for (const shape of shapes) expectSame(await terrainIn(files, shape), await terrainIn([plain()], shape));
  }

  test('side by side: each gives the other the cells around its own', async () => {
    await expectAsWhole([
      cut('nw.tif', [0, 0, 300, 300]),
      cut('ne.tif', [300, 0, 600, 300]),
      cut('sw.tif', [0, 300, 300, 600]),
      cut('se.tif', [300, 300, 600, 600]),
    ]);
  });

  test('overlapping: a cell counts once', async () => {
    await expectAsWhole([
      cut('o-nw.tif', [0, 0, 306, 306]),
      cut('o-ne.tif', [294, 0, 600, 306]),
      cut('o-sw.tif', [0, 294, 306, 600]),
      cut('o-se.tif', [294, 294, 600, 600]),
    ]);
  });

  test('where tiles overlap the first one is read, and the next where it has no data', async () => {
    const shape = lot(2500, 1000, 2900, 1400);
    const first = cut('first.tif', [0, 0, 300, 600]);
    const higher = cut('higher.tif', [200, 0, 600, 600], 5);
    expectSame(await terrainIn([first, higher], shape), await terrainIn([plain()], shape));
    const holed = inFolder('holed.tif');
    const hole = (column: number, row: number) => column > 262 && column < 280 && row > 470 && row < 480;
    writeProjected(holed, 10, {
      tile: 64,
      nodata: '-9999',
      at: (column, row) => (hole(column, row) ? -9999 : hill(column, row)),
    });
    expectSame(
      await terrainIn([holed, cut('second.tif', [200, 0, 600, 600])], shape),
      await terrainIn([plain()], shape),
    );
  });

  test('of several grids the finest that has data for half of the parcel is used', async () => {
    const fine = writePlane('fine.tif', 12);
    const coarse = inFolder('coarse.tif');
    writeTiff(coarse, {
      width: 100,
      height: 100,
      at: column => column * 6,
      grid: { originX: STEEP.x - 1000, originY: STEEP.y + 2000, stepX: 30, stepY: -30 },
      keys: projectedKeys(UTM_19N),
    });
    for (const files of [
      [fine, coarse],
      [coarse, fine],
    ]) {
      expect((await terrainIn(files, lot(800, 200, 1100, 300)))?.meanSlopePercent).toBeCloseTo(12, 3);
      expect((await terrainIn(files, lot(900, 200, 1300, 300)))?.meanSlopePercent).toBeCloseTo(20, 3);
    }
  });

  test('the same ground as a geographic grid', async () => {
    const geographic = inFolder('geographic.tif');
    writeGeographic(geographic, 1 / 10_800, { tile: 128 });
    const shape = lot(1000, 1000, 3000, 3000);
    const [a, b] = [await terrainIn([geographic], shape), await terrainIn([plain()], shape)];
    expect(a!.meanElevationM).toBeCloseTo(b!.meanElevationM, 1);
    expect(Math.abs(a!.meanSlopePercent - b!.meanSlopePercent)).toBeLessThan(0.1);
    a!.steeperPercent.forEach((share, i) => {
      expect(Math.abs(share - b!.steeperPercent[i]!)).toBeLessThan(0.5);
    });
  });
});

describe('reading', () => {
  const open = async (tile: ElevationTile, shape: MultiPolygon) => {
    const elevation = openElevation([tile], { signal });
    return elevation.terrainOf(shape).finally(() => elevation.close());
  };

  test('a file that changed since it was ingested is not read', async () => {
    const file = writePlane('changed.tif', 12);
    const tile = await header(file);
    writePlane('changed.tif', 13);
    utimesSync(file, new Date(), new Date(Date.now() + 60_000));
    await expect(open(tile, lot(100, 100, 200, 200))).rejects.toMatchObject({
      code: 'elevation_changed',
      message: expect.stringMatching(
        /changed\.tif has changed since it was ingested\. Run its elevation feed/,
      ),
    });
  });

  test('a file that is damaged is named with the cells', async () => {
    const file = writePlane('damaged.tif', 12, { tile: 32, compression: 8 });
    await expect(open(await header(file), lot(100, 100, 200, 200))).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/damaged\.tif: the block of cells \d+-\d+, \d+-\d+ cannot be decoded/),
    });
  });

  test('it can be stopped', async () => {
    const file = writePlane('stopped.tif', 12);
    const stop = new AbortController();
    const elevation = openElevation([await header(file)], { signal: stop.signal });
    stop.abort();
    await expect(elevation.terrainOf(lot(100, 100, 200, 200))).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('many parcels at once give what each gives alone', async () => {
    const file = large();
    const tile = await header(file);
    const shapes = Array.from({ length: 60 }, (_, i) =>
      lot(90 * i, 5000 - 80 * i, 90 * i + 400, 5300 - 80 * i),
    );
    const elevation = openElevation([tile], { signal, cacheBytes: 2 ** 20 });
    const together = await Promise.all(shapes.map(shape => elevation.terrainOf(shape)));
    for (const [i, shape] of shapes.entries()) expect(together[i]).toEqual(await elevation.terrainOf(shape));
    await elevation.close();
  });

  test('cells to draw: where they lie, how steep they are, how much of each is covered', async () => {
    const file = writePlane('cells.tif', 12);
    const elevation = openElevation([await header(file)], { signal });
    const cells = await elevation.cellsOf(lot(205, 300, 230, 310));
    expect(cells).toHaveLength(3);
    expect(cells.map(cell => Math.round(100 * cell.fraction))).toEqual([50, 100, 100]);
    expect(cells.every(cell => Math.abs(cell.slopePercent! - 12) < 0.001)).toBe(true);
    const [lon, lat] = fromUtm(STEEP.x + 200, STEEP.y + 310);
    expect(cells[0]!.corners[0]![0]).toBeCloseTo(lon, 9);
    expect(cells[0]!.corners[0]![1]).toBeCloseTo(lat, 9);
    await elevation.close();
  });

  test('a cell without data is drawn as such; a parcel of too many cells is not drawn', async () => {
    const gap = writePlane('drawn.tif', 12, {
      nodata: '-1',
      at: (column, row) => (column === 50 && row === 50 ? -1 : column),
    });
    const elevation = openElevation([await header(gap)], { signal });
    const cells = await elevation.cellsOf(lot(400, 400, 600, 600));
    expect(cells.filter(cell => cell.slopePercent === null)).toHaveLength(9);
    expect(cells.filter(cell => cell.elevationM === null)).toHaveLength(1);
    expect(await elevation.cellsOf(lot(-5000, 400, -4900, 600))).toEqual([]);
    const wide = openElevation([await header(plain())], { signal });
    await expect(wide.cellsOf(lot(1000, 1000, 4500, 4500))).rejects.toMatchObject({
      code: 'elevation_cells',
    });
  });
});
