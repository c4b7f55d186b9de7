import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { serialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { FeatureCollection } from 'geojson';
import { describe, expect, test } from 'vitest';
import { readFlatGeobuf } from '../../../workers/formats/flatgeobuf.ts';
import { contextFor, feature, fixtures, makeZip, readAll, readInChunks, temporaryFolder } from './make.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const collection = (features: object[]) => ({ type: 'FeatureCollection', features }) as FeatureCollection;
const pack = (features: object[], crs?: number) => Buffer.from(serialize(collection(features), crs));

describe('FlatGeobuf', () => {
  test('properties and geometry arrive as they were packed, from gzip and zip too', async () => {
    const roll: FeatureCollection = JSON.parse(readFileSync(`${fixtures}washington-parcels.geojson`, 'utf8'));
    const plain = roll.features.map(({ properties, geometry }) => ({
      type: 'Feature',
      properties: { id: properties!.id, owner: properties!.owner, area: properties!.area },
      geometry,
    }));
    const bytes = pack(plain);
    folder.put('w.fgb', bytes);
    folder.put('w.fgb.gz', gzipSync(bytes));
    folder.put('w.zip', makeZip({ 'w.fgb': bytes }));
    for (const source of ['w.fgb', 'w.fgb.gz', 'w.zip']) {
      const read = await readAll({ source, format: 'flatgeobuf' }, context);
      expect(read.rows).toEqual(
        plain.map(({ properties, geometry }, i) => ({ rowNo: i + 1, values: properties, geometry })),
      );
    }
  });

  test('the CRS of its header is honoured', async () => {
    folder.put('utm.fgb', pack([feature(1, { PID: '7' }, 500_000, 4_760_000)], 26919));
    const { rows } = await readAll({ source: 'utm.fgb', format: 'flatgeobuf' }, context);
    expect((rows[0]!.geometry as { coordinates: number[][][] }).coordinates[0]![0]![0]).toBeCloseTo(-69, 9);
  });

  test('a spatial index is passed over', async () => {
    const plain = pack(Array.from({ length: 40 }, (_, i) => feature(i, { PID: String(i) })));
    const headerEnd = 12 + plain.readUInt32LE(8);
    // index_node_size is the tenth field of the header's table; its place stands in the table's vtable.
    const table = 12 + plain.readUInt32LE(12);
    const vtable = table - plain.readInt32LE(table);
    plain.writeUInt16LE(16, table + plain.readUInt16LE(vtable + 4 + 2 * 9));
    // 40 leaves, 3 nodes and the root, 40 bytes each.
    const index = Buffer.alloc((40 + 3 + 1) * 40, 0xff);
    const bytes = Buffer.concat([plain.subarray(0, headerEnd), index, plain.subarray(headerEnd)]);
    const numbers = (read: { rows: { values: Record<string, unknown> }[] }) =>
      read.rows.map(row => Number(row.values.PID));
    for (const size of [1, 500, 100_000]) {
      const read = await readInChunks(readFlatGeobuf, bytes, size, { format: 'flatgeobuf' });
      expect(numbers(read)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    }
    folder.put('index.fgb', bytes.subarray(0, headerEnd + 100));
    await expect(readAll({ source: 'index.fgb', format: 'flatgeobuf' }, context)).rejects.toThrow(/cut off/);
  });

  const good = pack([feature(1, { PID: '7' }), feature(2, { PID: '8' })]);

  test.each([
    ['cut in a feature', good.subarray(0, good.length - 30)],
    ['cut in the header', good.subarray(0, 40)],
    ['another format', Buffer.from('PID,OWNER\n1,2\n'.repeat(5))],
    ['empty', Buffer.alloc(0)],
  ])('%s is refused', async (_, bytes) => {
    folder.put('bad.fgb', bytes);
    const read = readAll({ source: 'bad.fgb', format: 'flatgeobuf' }, context);
    await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^feed_(source|format)$/) });
    await expect(read).rejects.toThrow(/bad\.fgb/);
  });

  test('a file that ends between features is cut off', async () => {
    // The last feature's length stands in the four bytes before it.
    const first = pack([feature(1, { PID: '7' })]);
    const second = good.length - first.length;
    folder.put('short.fgb', good.subarray(0, good.length - second));
    const read = readAll({ source: 'short.fgb', format: 'flatgeobuf' }, context);
    await expect(read).rejects.toThrow(/cut off: it holds 1 of 2/);
  });
});
