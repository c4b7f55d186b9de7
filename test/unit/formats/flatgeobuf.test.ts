import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { serialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { FeatureCollection } from 'geojson';
import { describe, expect, test } from 'vitest';
import { readFlatGeobuf } from '../../../workers/formats/flatgeobuf.ts';
import { feature, fixtures, makeZip, readerOf, readInChunks } from './make.ts';

const read = readerOf('flatgeobuf', 'a.fgb');
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
    const expected = plain.map(({ properties, geometry }, i) => ({
      rowNo: i + 1,
      values: properties,
      geometry,
    }));
    for (const packed of [bytes, gzipSync(bytes), makeZip({ 'w.fgb': bytes })])
      expect((await read(packed)).rows).toEqual(expected);
  });

  test('the CRS of its header is honoured', async () => {
    const { rows } = await read(pack([feature(1, { PID: '7' }, 500_000, 4_760_000)], 26919));
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
    const numbers = (found: { rows: { values: Record<string, unknown> }[] }) =>
      found.rows.map(row => Number(row.values.PID));
    for (const size of [1, 500, 100_000]) {
      const found = await readInChunks(readFlatGeobuf, bytes, size, { format: 'flatgeobuf' });
      expect(numbers(found)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    }
    await expect(read(bytes.subarray(0, headerEnd + 100))).rejects.toMatchObject({ code: 'feed_source' });
  });

  const good = pack([feature(1, { PID: '7' }), feature(2, { PID: '8' })]);

  test.each([
    ['cut in a feature', good.subarray(0, good.length - 30)],
    ['cut in the header', good.subarray(0, 40)],
    ['another format', Buffer.from('PID,OWNER\n1,2\n'.repeat(5))],
    ['empty', Buffer.alloc(0)],
  ])('%s is refused', async (_, bytes) => {
    const found = read(bytes);
    await expect(found).rejects.toMatchObject({ code: expect.stringMatching(/^feed_(source|format)$/) });
    await expect(found).rejects.toThrow(/a\.fgb/);
  });

  test('a file that ends between features is cut off', async () => {
    // The last feature's length stands in the four bytes before it.
    const first = pack([feature(1, { PID: '7' })]);
    const second = good.length - first.length;
    await expect(read(good.subarray(0, good.length - second))).rejects.toThrow(/\b1 of 2\b/);
  });
});
