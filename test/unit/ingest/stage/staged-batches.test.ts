import { setTimeout } from 'node:timers/promises';
import type { Geometry } from 'geojson';
import { expect, test } from 'vitest';
import type { RowBatch, SourceRow } from '../../../../workers/formats/rows.ts';
import {
  openParcelStager,
  type ParcelTerms,
  type StagedBatch,
} from '../../../../workers/ingest/stage/parcel-batch.ts';
import { stagedBatches } from '../../../../workers/ingest/stage/staged-batches.ts';

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

const terms: ParcelTerms = {
  ...{ name: 'roll', fips: 19153, sales: null, zipCounties: new Map([['50301', 19153]]), incomplete: false },
  columns: {
    key: { columns: ['PIN'] },
    columns: { owner_name: { column: 'OWNER' }, acres: { column: 'ACRES' } },
    skipWhere: [{ column: 'OWNER', equals: 'nobody' }],
  },
};

/** Of every kind of row one, with what is wrong with some. */
function rowsFrom(rowNo: number): SourceRow[] {
  const point: Geometry = { type: 'Point', coordinates: [-93, 41] };
  const geometries = [square(-93), null, point, bowTie, square(-92), nested(3), square(-91)];
  return geometries.map((geometry, i) => ({
    rowNo: rowNo + i,
    values: {
      PIN: i === 6 ? '' : `${rowNo + i}`,
      OWNER: i === 4 ? 'nobody' : 'Ståhl, Ann',
      ACRES: i === 1 ? 'many' : 1,
    },
    geometry,
  }));
}

/** Read or, every other one but the first, unread; a bad row in each. */
function batchAt(number: number): RowBatch {
  const rows = rowsFrom(number * 10);
  const bad = [
    { rowNo: number * 10 + 9, reason: 'unreadable_row', field: null, message: 'no', raw: '{' } as const,
  ];
  if (number % 2 === 0) return { rows, bad, skipped: number };
  const texts = rows.map(({ rowNo, values: properties, geometry }) => ({
    rowNo,
    text: JSON.stringify({ type: 'Feature', properties, geometry }),
  }));
  return { rows: [], bad, unread: [...texts, { rowNo: number * 10 + 8, text: '{"type":' }] };
}

const hasThread = () => process.getActiveResourcesInfo().includes('MessagePort');

/** Batches until a thread has had work for a while. */
async function* batchesUntilThreaded(at: (number: number) => RowBatch = batchAt): AsyncGenerator<RowBatch> {
  for (let number = 0, threaded = 0; threaded < 30; number++) {
    yield at(number);
    if (hasThread()) threaded++;
    await setTimeout(1);
  }
}

async function collect(batches: AsyncIterable<RowBatch>): Promise<(readonly [RowBatch, StagedBatch])[]> {
  const all = [];
  for await (const one of stagedBatches(batches, terms)) all.push(one);
  return all;
}

const plain = ({ roll, shape, ...rest }: StagedBatch) => ({
  ...rest,
  roll: Buffer.concat(roll).toString(),
  shape: Buffer.concat(shape).toString(),
});

test('a thread makes of batches, read or unread, what this one makes, in their order', async () => {
  const all = await collect(batchesUntilThreaded());
  const here = openParcelStager(terms, rowsFrom(0));
  for (const [i, [batch, staged]] of all.entries()) {
    expect(batch).toEqual(batchAt(i));
    expect(plain(staged)).toEqual(plain(here(batchAt(i))));
  }
  const { counts, rejects, keys, roll } = all.at(-1)![1];
  expect(counts).toMatchObject({ dropped: { geometry: 2, acres: 1 }, repaired: { self_crossing_split: 1 } });
  expect(counts.rejected.missing_key).toBe(1);
  expect(counts.rejected.unreadable_row).toBeGreaterThan(0);
  expect(rejects.length).toBeGreaterThan(4);
  expect(keys).toHaveLength(5);
  expect(Buffer.concat(roll).toString()).toContain('Ståhl, Ann');
});

test('a geometry of thousands of levels that no thread can be sent is answered all the same, and its neighbours too', async () => {
  const deep = (number: number): RowBatch => ({
    rows: rowsFrom(number * 10).map((row, i) => (i === 1 ? { ...row, geometry: nested(20_000) } : row)),
    bad: [],
  });
  const all = await collect(batchesUntilThreaded(number => (number === 0 ? batchAt(0) : deep(number))));
  for (const [, { counts, keys }] of all.slice(1)) {
    expect(counts.rejected).toEqual({ missing_key: 1, unreadable_row: 1 });
    expect(keys).toHaveLength(4);
  }
});

test('what ends the source is thrown, and one who stops early leaves no thread behind', async () => {
  async function* broken(): AsyncGenerator<RowBatch> {
    yield* batchesUntilThreaded();
    throw new Error('the source breaks off');
  }
  await expect(collect(broken())).rejects.toThrow('the source breaks off');
  expect(hasThread()).toBe(false);
  const faulty = { rows: [null as never], bad: [] };
  const fails = batchesUntilThreaded(number => (hasThread() ? faulty : batchAt(number)));
  await expect(collect(fails)).rejects.toThrow(TypeError);
  expect(hasThread()).toBe(false);
  let seen = false;
  for await (const _ of stagedBatches(batchesUntilThreaded(), terms)) {
    if (!hasThread()) continue;
    seen = true;
    break;
  }
  expect(seen).toBe(true);
  expect(hasThread()).toBe(false);
});
