import type { Geometry } from 'geojson';
import { expect, test } from 'vitest';
import type { RowBatch } from '../../../../workers/formats/rows.ts';
import { shapeOf } from '../../../../workers/ingest/stage/boundary.ts';
import { type ShapedBatch, withShapes } from '../../../../workers/ingest/stage/shapes.ts';

const square = (lon: number): Geometry => ({
  type: 'Polygon',
  coordinates: [[0, 1, 2, 3, 0].map(i => [lon + (i === 1 || i === 2 ? 0.001 : 0), i > 1 ? 41.001 : 41])],
});
const bowTie: Geometry = {
  type: 'Polygon',
  coordinates: [
    [
      [-93, 41],
      [-92.999, 41.001],
      [-92.999, 41],
      [-93, 41.001],
      [-93, 41],
    ],
  ],
};
const nested = (levels: number) =>
  ({ type: 'Polygon', coordinates: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) }) as Geometry;

async function* batchesOf(geometries: (Geometry | null)[], count: number): AsyncGenerator<RowBatch> {
  for (let batch = 0; batch < count; batch++)
    yield {
      rows: geometries.map((geometry, i) => ({
        rowNo: batch * geometries.length + i + 1,
        values: {},
        geometry,
      })),
      bad: [],
      skipped: batch,
    };
}

async function collect(batches: AsyncIterable<ShapedBatch>): Promise<ShapedBatch[]> {
  const all: ShapedBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

test('a thread makes of geometries, faults and repairs what this one makes, row by row and in order', async () => {
  const point: Geometry = { type: 'Point', coordinates: [-93, 41] };
  const geometries = [square(-93), null, point, bowTie, square(-92), nested(3)];
  const batches = await collect(withShapes(batchesOf(geometries, 9)));
  expect(batches.map(({ skipped }) => skipped)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const rows = batches.flatMap(batch => batch.rows);
  expect(rows.map(({ rowNo }) => rowNo)).toEqual(Array.from({ length: 54 }, (_, i) => i + 1));
  const expected = geometries.map(shapeOf);
  expect(expected).toMatchObject([
    { ok: true, repairs: [] },
    null,
    { reason: 'not_an_area' },
    { ok: true, repairs: ['self_crossing_split'] },
    { ok: true },
    { ok: false },
  ]);
  for (const [i, row] of rows.entries()) expect(row.shape).toEqual(expected[i % geometries.length]);
});

test('a geometry of thousands of levels that no thread can be sent is answered all the same, and its neighbours too', async () => {
  const batches = await collect(withShapes(batchesOf([square(-93), nested(20_000)], 3)));
  for (const { rows } of batches) {
    expect(rows[0]!.shape).toMatchObject({ ok: true });
    expect(rows[1]!.shape).toEqual(shapeOf(nested(20_000)));
  }
});

test('what ends the source is thrown, and a reader that stops early leaves no thread behind', async () => {
  async function* broken(): AsyncGenerator<RowBatch> {
    yield* batchesOf([square(-93)], 5);
    throw new Error('the source breaks off');
  }
  await expect(collect(withShapes(broken()))).rejects.toThrow('the source breaks off');
  const threads = () => process.getActiveResourcesInfo().filter(name => name === 'MessagePort').length;
  const before = threads();
  for await (const { rows } of withShapes(batchesOf([square(-93)], 50))) {
    if (rows[0]!.rowNo < 3) continue;
    expect(threads()).toBeGreaterThan(before);
    break;
  }
  expect(threads()).toBe(before);
});
