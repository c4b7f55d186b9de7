import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { prepareOverlap } from '../../../shared/kernels/overlap.ts';
import { bangorShapes } from '../../support/bangor-land.ts';

const GOLDEN = join(import.meta.dirname, '../../fixtures/overlap/bangor.csv.gz');
const COLUMNS = { wetlands: 1, flood: 2 };
const PARCELS = 10_643;

/** What PostGIS says of each parcel: row of the shapefile, wetlands, flood. */
const golden = gunzipSync(readFileSync(GOLDEN))
  .toString()
  .trim()
  .split('\n')
  .slice(1)
  .map(line => line.split(',').map(Number));

const parcels = bangorShapes('parcels');

describe.each(['wetlands', 'flood'] as const)('%s of the parcels of Bangor', kind => {
  test('agree with PostGIS to 0.01 percentage points', async () => {
    const expected = new Map(golden.map(row => [row[0]!, row[COLUMNS[kind]]!]));
    const { percentOf } = prepareOverlap([...(await bangorShapes(kind)).values()]);
    const shapes = await parcels;
    expect(shapes.size).toBe(PARCELS);
    // One in three: wetlands take half a millisecond each.
    const off = [...shapes].flatMap(([rowNo, shape]) => {
      if (rowNo % 3 !== 0) return [];
      const percent = percentOf(shape);
      const difference = Math.abs(percent - (expected.get(rowNo) ?? 0));
      return difference <= 0.01 ? [] : [{ rowNo, percent, expected: expected.get(rowNo) ?? 0 }];
    });
    expect(off).toEqual([]);
  });
});
