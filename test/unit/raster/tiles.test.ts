import { join } from 'node:path';
import geographiclib from 'geographiclib-geodesic';
import proj4 from 'proj4';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { resolveCrs } from '../../../shared/geo/projection.ts';
import { expectSame, lot, rectangle, terrainIn } from '../../support/elevation.ts';
import { testFolder } from '../../support/folder.ts';
import { projectedKeys, writeTiff } from '../../support/geotiff.ts';
import {
  fromUtm,
  heightM,
  STEEP,
  toUtm,
  UTM_19N,
  writeGeographic,
  writePlane,
  writeProjected,
} from '../../support/steep.ts';

const folder = testFolder();
const inFolder = (name: string) => join(folder, name);

/** The hills as one grid of 10 m. */
const plain = inFolder('plain.tif');
beforeAll(() => writeProjected(plain, 10));

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
    for (const shape of shapes) expectSame(await terrainIn(files, shape), await terrainIn([plain], shape));
  }

  test.each([
    ['side by side: each gives the other the cells around its own', 's', 0],
    ['overlapping: a cell counts once', 'o', 6],
  ])('%s', async (_what, name, over) => {
    const [to, from] = [300 + over, 300 - over];
    await expectAsWhole([
      cut(`${name}-nw.tif`, [0, 0, to, to]),
      cut(`${name}-ne.tif`, [from, 0, 600, to]),
      cut(`${name}-sw.tif`, [0, from, to, 600]),
      cut(`${name}-se.tif`, [from, from, 600, 600]),
    ]);
  });

  test('the first of overlapping tiles is read, and the next one where it has no data', async () => {
    const shape = lot(2500, 1000, 2900, 1400);
    const first = cut('first.tif', [0, 0, 300, 600]);
    const higher = cut('higher.tif', [200, 0, 600, 600], 5);
    expectSame(await terrainIn([first, higher], shape), await terrainIn([plain], shape));
    const holed = inFolder('holed.tif');
    const hole = (column: number, row: number) => column > 262 && column < 280 && row > 470 && row < 480;
    writeProjected(holed, 10, {
      tile: 64,
      nodata: '-9999',
      at: (column, row) => (hole(column, row) ? -9999 : hill(column, row)),
    });
    expectSame(
      await terrainIn([holed, cut('second.tif', [200, 0, 600, 600])], shape),
      await terrainIn([plain], shape),
    );
  });

  test('uses the finest grid that has data for half of the parcel', async () => {
    const fine = inFolder('fine.tif');
    writePlane(fine, 12);
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
});

describe('the same land has the same figures', () => {
  const shape = lot(1000, 1000, 3000, 3000);

  async function expectAlike(file: string, declared = {}): Promise<void> {
    const [a, b] = [await terrainIn([file], shape, declared), await terrainIn([plain], shape)];
    expect(a!.meanElevationM).toBeCloseTo(b!.meanElevationM, 1);
    expect(Math.abs(a!.meanSlopePercent - b!.meanSlopePercent)).toBeLessThan(0.1);
    a!.steeperPercent.forEach((share, i) => {
      expect(Math.abs(share - b!.steeperPercent[i]!)).toBeLessThan(0.5);
    });
  }

  test('on a geographic grid', async () => {
    const file = inFolder('geographic.tif');
    writeGeographic(file, 1 / 10_800, { tile: 128 });
    await expectAlike(file);
  });

  test.each([
    ['in Web Mercator, whose metres are nominal', 'EPSG:3857', 14, {}, projectedKeys(3857)],
    ['in a state plane in survey feet, named by its code', 'EPSG:26847', 33, {}, projectedKeys(26847)],
    // Maine East, of which the file says nothing.
    [
      'in a state plane in survey feet, declared as a proj string',
      '+proj=tmerc +lat_0=43.66666666666666 +lon_0=-68.5 +k=0.9999 +x_0=300000 +y_0=0 +datum=NAD83 +units=us-ft +no_defs',
      33,
      { unit: 'feet' } as const,
      {},
    ],
  ])('%s', async (name, crs, step, declared, keys) => {
    const file = inFolder(`${name}.tif`);
    const { forward, inverse } = proj4('WGS84', resolveCrs(crs, file).definition);
    const [x, y] = forward(fromUtm(STEEP.x + 2000, STEEP.y + 2000));
    const cells = 320;
    const grid = {
      originX: x! - (cells / 2) * step,
      originY: y! + (cells / 2) * step,
      stepX: step,
      stepY: -step,
    };
    const unitM = 'unit' in declared ? 0.3048 : 1;
    writeTiff(file, {
      width: cells,
      height: cells,
      at(column, row) {
        const [lon, lat] = inverse([grid.originX + (column + 0.5) * step, grid.originY - (row + 0.5) * step]);
        return heightM(...toUtm(lon!, lat!)) / unitM;
      },
      tile: 64,
      grid,
      keys,
    });
    await expectAlike(file, { ...declared, ...(crs.startsWith('+') && { crs }) });
  });
});

test('a projection with a distorted scale uses true distances', async () => {
  // Albers of the 48 states on its middle meridian: at 37.5 N a kilometer east is 0.990 on the map, a
  // kilometer north 1.010.
  const { definition } = resolveCrs('EPSG:5070', 'x');
  const { forward, inverse } = proj4('WGS84', definition);
  const { WGS84 } = geographiclib.Geodesic;
  const [x, y] = forward([-96, 37.5]);
  const slopeOf = async (name: string, rise: (lon: number, lat: number) => number): Promise<number> => {
    writeTiff(inFolder(name), {
      width: 60,
      height: 60,
      at(column, row) {
        const [lon, lat] = inverse([x! + (column - 29.5) * 10, y! - (row - 29.5) * 10]);
        return 500 + 0.5 * rise(lon!, lat!);
      },
      sample: 'float64',
      grid: { originX: x! - 300, originY: y! + 300, stepX: 10, stepY: -10 },
      keys: projectedKeys(5070),
    });
    const shape = rectangle((e, n) => inverse([x! + e, y! + n]) as Position, [-200, -200, 200, 200]);
    return (await terrainIn([inFolder(name)], shape))!.meanSlopePercent;
  };
  const east = (lon: number) => WGS84.Inverse(37.5, -96, 37.5, lon).s12! * Math.sign(lon + 96);
  const north = (_: number, lat: number) => WGS84.Inverse(37.5, -96, lat, -96).s12! * Math.sign(lat - 37.5);
  expect(await slopeOf('albers-east.tif', east)).toBeCloseTo(50, 2);
  expect(await slopeOf('albers-north.tif', north)).toBeCloseTo(50, 2);
});
