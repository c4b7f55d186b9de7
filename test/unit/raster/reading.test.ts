import { copyFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import { openElevation } from '../../../shared/raster/elevation-grid.ts';
import { type ElevationTile, readTileHeader } from '../../../shared/raster/tiff-header.ts';
import { lot, signal } from '../../support/elevation.ts';
import { testFolder } from '../../support/folder.ts';
import type { TiffOptions } from '../../support/geotiff.ts';
import { fromUtm, STEEP, writePlane, writeProjected } from '../../support/steep.ts';

const folder = testFolder();
const inFolder = (name: string) => join(folder, name);

const header = (file: string, declared = {}) => readTileHeader(file, declared, { signal });

function plane(name: string, percent: number, options: Partial<TiffOptions> = {}): string {
  writePlane(inFolder(name), percent, options);
  return inFolder(name);
}

describe('an unreadable file', () => {
  /** Whole when its header is read, damaged when its cells are. */
  async function damaged(name: string, options: Partial<TiffOptions> = {}): Promise<ElevationTile> {
    const file = inFolder(name);
    writePlane(file, 12, { tile: 32, compression: 8, ...options });
    return header(file);
  }
  const inside = lot(100, 100, 200, 200);

  test.each<[string, Partial<TiffOptions>]>([
    ['another grid', { grid: { originX: STEEP.x - 3, originY: STEEP.y + 1000, stepX: 20, stepY: -20 } }],
    ['another file of the same grid', {}],
  ])('%s answers in its place', async (_, options) => {
    const good = await header(plane('good.tif', 6, { at: column => column, ...options }));
    const alone = openElevation([good], { signal });
    const elevation = openElevation([await damaged('bad.tif'), good], { signal });
    expect(await alone.terrainOf(inside)).not.toBeNull();
    expect(await elevation.terrainOf(inside)).toEqual(await alone.terrainOf(inside));
    expect((await elevation.cellsOf(inside)).length).toBeGreaterThan(0);
  });

  test("with no other file, the parcel fails each time, and the parcels beside it don't", async () => {
    const beside = await header(
      plane('beside.tif', 6, {
        at: column => column,
        grid: { originX: STEEP.x + 900, originY: STEEP.y + 1000, stepX: 20, stepY: -20 },
      }),
    );
    const elevation = openElevation([await damaged('bad.tif'), beside], { signal });
    for (const _ of [1, 2])
      await expect(elevation.terrainOf(inside)).rejects.toMatchObject({
        message: expect.stringMatching(/bad\.tif: .*cells \d/),
      });
    expect((await elevation.terrainOf(lot(1100, 100, 1200, 200)))?.meanSlopePercent).toBeCloseTo(5, 3);
  });
});

describe('reading', () => {
  const open = async (tile: ElevationTile, shape: MultiPolygon) => {
    const elevation = openElevation([tile], { signal });
    return elevation.terrainOf(shape).finally(() => elevation.close());
  };

  test('a file that changed since it was loaded is not read', async () => {
    const file = plane('changed.tif', 12);
    const tile = await header(file);
    plane('changed.tif', 13);
    await expect(open(tile, lot(100, 100, 200, 200))).rejects.toMatchObject({
      code: 'source_changed',
      message: expect.stringMatching(/changed\.tif /),
    });
  });

  test('a file that was touched, or copied again, is still the loaded file', async () => {
    const file = plane('touched.tif', 12);
    const tile = await header(file);
    utimesSync(file, new Date(), new Date(Date.now() + 60_000));
    expect((await open(tile, lot(100, 100, 200, 200)))?.meanSlopePercent).toBeCloseTo(12, 3);
    rmSync(file);
    plane('touched.tif', 12);
    expect((await open(tile, lot(100, 100, 200, 200)))?.meanSlopePercent).toBeCloseTo(12, 3);
    expect((await header(file)).fingerprint).toBe(tile.fingerprint);
    copyFileSync(file, inFolder('copy.tif'));
    expect((await header(inFolder('copy.tif'))).fingerprint).toBe(tile.fingerprint);
  });

  test('a damaged file is reported with the cells', async () => {
    const file = plane('damaged.tif', 12, { tile: 32, compression: 8 });
    await expect(open(await header(file), lot(100, 100, 200, 200))).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/damaged\.tif: .*cells \d+-\d+, \d+-\d+/),
    });
  });

  test('blocks of a few bytes are unpacked, too', async () => {
    // Strips of one row: 20 bytes each.
    const small = { width: 10, height: 10, sample: 'int16', stripRows: 1, deflate: true } as const;
    const file = plane('small.tif', 0, {
      ...small,
      at: column => 100 + column,
      grid: { originX: STEEP.x, originY: STEEP.y + 100, stepX: 10, stepY: -10 },
    });
    expect(await open(await header(file), lot(20, 20, 80, 80))).toMatchObject({
      minElevationM: 102,
      maxElevationM: 107,
      meanSlopePercent: expect.closeTo(10, 2),
    });
  });

  test('can be stopped', async () => {
    const file = plane('stopped.tif', 12);
    const stop = new AbortController();
    const elevation = openElevation([await header(file)], { signal: stop.signal });
    stop.abort();
    await expect(elevation.terrainOf(lot(100, 100, 200, 200))).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('many parcels at once have the same results as each alone', async () => {
    const file = inFolder('large.tif');
    writeProjected(file, 5, { tile: 128, deflate: true });
    const tile = await header(file);
    const shapes = Array.from({ length: 60 }, (_, i) =>
      lot(90 * i, 5000 - 80 * i, 90 * i + 400, 5300 - 80 * i),
    );
    const elevation = openElevation([tile], { signal, cacheBytes: 2 ** 20 });
    const together = await Promise.all(shapes.map(shape => elevation.terrainOf(shape)));
    for (const [i, shape] of shapes.entries()) expect(together[i]).toEqual(await elevation.terrainOf(shape));
    await elevation.close();
  });

  test('cells to draw: where they are, how steep they are, how much of each is covered', async () => {
    const file = plane('cells.tif', 12);
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

  test('a cell without data is drawn as such; a parcel with too many cells is not drawn', async () => {
    const gap = plane('drawn.tif', 12, {
      nodata: '-1',
      at: (column, row) => (column === 50 && row === 50 ? -1 : column),
    });
    const elevation = openElevation([await header(gap)], { signal });
    const cells = await elevation.cellsOf(lot(400, 400, 600, 600));
    expect(cells.filter(cell => cell.slopePercent === null)).toHaveLength(9);
    expect(cells.filter(cell => cell.elevationM === null)).toHaveLength(1);
    expect(await elevation.cellsOf(lot(-5000, 400, -4900, 600))).toEqual([]);
    const hills = inFolder('hills.tif');
    writeProjected(hills, 10);
    const wide = openElevation([await header(hills)], { signal });
    await expect(wide.cellsOf(lot(1000, 1000, 4500, 4500))).rejects.toMatchObject({
      code: 'elevation_cells',
    });
  });
});
