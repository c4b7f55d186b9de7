import { describe, expect, test } from 'vitest';
import { gridsOf } from '../../../shared/raster/grids.ts';
import type { ElevationTile } from '../../../shared/raster/tiff-header.ts';

const STEP = 1 / 10_800;

/** A 3DEP tile of 1/3 arc-second: a degree and six cells more on each side. */
function tile(west: number, north: number, changes: Partial<ElevationTile> = {}): ElevationTile {
  return {
    source: `/tiles/${north}${west}.tif`,
    fingerprint: '',
    width: 10_812,
    height: 10_812,
    originX: west - 6 * STEP,
    originY: north + 6 * STEP,
    stepX: STEP,
    stepY: -STEP,
    crs: 'EPSG:4269',
    unitM: 1,
    nodata: -999999,
    ...changes,
  };
}
const placed = (tiles: ElevationTile[]) =>
  gridsOf(tiles).map(grid => grid.tiles.map(({ column, row }) => `${column} ${row}`));

describe('tiles that form a grid', () => {
  test('are aligned to whole cells of the first one', () => {
    expect(placed([tile(-69, 45), tile(-68, 45), tile(-70, 44)])).toEqual([
      ['0 0', '10800 0', '-10800 10800'],
    ]);
    const [grid] = gridsOf([tile(-69, 45), tile(-70, 44)]);
    expect(grid).toMatchObject({ left: -10_800, top: 0, right: 10_812, bottom: 21_612 });
  });

  test('corners and steps may be rounded as published', () => {
    const rounded = tile(-60, 45, {
      originX: -60.000555555556,
      originY: 45.00055555556,
      stepX: 0.0000925925926,
      stepY: -0.0000925925926,
    });
    expect(placed([tile(-69, 45), rounded])).toEqual([['0 0', '97200 0']]);
  });

  test.each<[string, Partial<ElevationTile>]>([
    ['half a cell off', { originX: -68 - 6.5 * STEP }],
    ['cells of another size', { stepX: STEP / 3, stepY: -STEP / 3 }],
    ['cells that drift away', { stepX: STEP * (1 + 1e-5) }],
    ['the other way up', { stepY: STEP }],
    ['another CRS', { crs: 'EPSG:4326' }],
  ])('%s is a grid of its own', (_, changes) => {
    expect(gridsOf([tile(-69, 45), tile(-68, 45, changes)])).toHaveLength(2);
  });

  test('the grid with the smallest cells comes first, whatever the units', () => {
    const utm = { crs: 'EPSG:26919', originX: 500_000, originY: 4_900_000 };
    const one = tile(0, 0, { ...utm, stepX: 1, stepY: -1 });
    const thirty = tile(0, 0, { ...utm, stepX: 30, stepY: -30 });
    const order = gridsOf([thirty, tile(-69, 45), one]).map(grid => grid.tiles[0]!.tile.stepX);
    expect(order).toEqual([1, STEP, 30]);
  });
});
