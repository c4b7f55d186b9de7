import { join } from 'node:path';
import { fromFile } from 'geotiff';
import { expect, test } from 'vitest';
import { slopesOf } from '../../support/elevation.ts';

const root = join(import.meta.dirname, '../../..');
const fixtures = join(root, 'test/fixtures/terrain');

/** What gdaldem writes where it has no slope. */
const NODATA = -9999;

async function golden(name: string): Promise<{ values: ArrayLike<number>; width: number; height: number }> {
  const tiff = await fromFile(join(fixtures, name));
  const values = await (await tiff.getImage()).readRasters({ interleave: true });
  tiff.close();
  return { values, width: values.width, height: values.height };
}

/** Compares a window of slopes cell by cell. @returns the number of cells that have a slope */
function expectEqual(
  slopes: Float32Array,
  width: number,
  expected: { values: ArrayLike<number>; width: number; height: number },
  [left, top]: [number, number],
): number {
  let worst = 0;
  let known = 0;
  for (let i = 0; i < expected.width * expected.height; i++) {
    const at = (top + Math.floor(i / expected.width)) * width + left + (i % expected.width);
    const wanted = expected.values[i]!;
    expect(Number.isNaN(slopes[at]!)).toBe(wanted === NODATA);
    if (wanted === NODATA) continue;
    known++;
    worst = Math.max(worst, Math.abs(slopes[at]! - wanted));
  }
  expect(worst).toBeLessThan(0.01);
  return known;
}

test('slopes of the projected grid in feet equal those of gdaldem', async () => {
  const slopes = await slopesOf(join(root, 'workers/sample/data/bangor_me/dem_10m_feet.tif'), {
    unit: 'feet',
  });
  expect(expectEqual(slopes, 1118, await golden('bangor_slope.tif'), [600, 500])).toBe(128 * 128);
});

test('slopes of the geographic grid equal those of gdaldem on cells of true size, including gaps', async () => {
  const slopes = await slopesOf(join(fixtures, 'geographic.tif'));
  const known = expectEqual(slopes, 96, await golden('geographic_slope.tif'), [0, 40]);
  // The gap of 9 x 7 cells and that of one cell take their neighbors with them; so does the rim.
  expect(known).toBe(94 * 16 - 11 * 9 - 9);
});

test('the rim of a grid has no slope, because a neighbor is missing', async () => {
  const slopes = await slopesOf(join(fixtures, 'geographic.tif'));
  for (let i = 0; i < 96; i++) {
    for (const at of [i, 95 * 96 + i, i * 96, i * 96 + 95]) expect(slopes[at]).toBeNaN();
  }
});
