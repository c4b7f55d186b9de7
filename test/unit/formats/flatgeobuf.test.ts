import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { magicbytes } from 'flatgeobuf/lib/mjs/constants.js';
import { buildFeature } from 'flatgeobuf/lib/mjs/generic/feature.js';
import { buildHeader } from 'flatgeobuf/lib/mjs/generic/featurecollection.js';
import { ColumnType, GeometryType } from 'flatgeobuf/lib/mjs/generic.js';
import { parseGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import { serialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import type { FeatureCollection, Polygon } from 'geojson';
import { describe, expect, test } from 'vitest';
import { readFlatGeobuf } from '../../../workers/formats/flatgeobuf.ts';
import { feature, fixtures, makeZip, readerOf, readInChunks } from './make.ts';

const read = readerOf('flatgeobuf', 'a.fgb');
const collection = (features: object[]) => ({ type: 'FeatureCollection', features }) as FeatureCollection;
const pack = (features: object[], crs?: number) => Buffer.from(serialize(collection(features), crs));

type Column = [name: string, type: ColumnType];

/** A file with columns of these types; the library's own writer knows those of JavaScript alone. */
function packTyped(columns: Column[], rows: unknown[][], featuresCount = rows.length): Buffer {
  const header = (written: Column[]) =>
    ({
      geometryType: GeometryType.Polygon,
      columns: written.map(([name, type]) => ({ name, type })),
      featuresCount,
      indexNodeSize: 0,
    }) as HeaderMeta;
  // It writes no unsigned integers of 64 bits, whose bytes are the same.
  const signed = columns.map(
    ([name, type]): Column => [name, type === ColumnType.ULong ? ColumnType.Long : type],
  );
  const { geometry } = feature(1, {}) as { geometry: Polygon };
  const features = rows.map(row =>
    buildFeature(
      parseGeometry(geometry),
      Object.fromEntries(columns.map(([name], i) => [name, row[i]])) as Record<string, string>,
      header(signed),
    ),
  );
  return Buffer.concat([magicbytes, buildHeader(header(columns)), ...features]);
}

describe('FlatGeobuf', () => {
  test('features without a geometry are rows without one, as GDAL writes them', async () => {
    const { rows } = await read(readFileSync(`${fixtures}null-geometry.fgb`));
    expect(rows.map(({ values, geometry }) => [values, geometry?.type ?? null])).toEqual([
      [{ PIN: '1', n: 1 }, null],
      [{ PIN: '2', n: 2 }, 'Polygon'],
      [{ PIN: '3', n: 3 }, null],
    ]);
  });

  test('properties and geometry arrive as they were packed, even from gzip and ZIP', async () => {
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

  test('the CRS in its header is used', async () => {
    const { rows } = await read(pack([feature(1, { PID: '7' }, 500_000, 4_760_000)], 26919));
    expect((rows[0]!.geometry as { coordinates: number[][][] }).coordinates[0]![0]![0]).toBeCloseTo(-69, 9);
  });

  test('a spatial index is skipped', async () => {
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

  test('64-bit integers keep their digits, whatever the columns around them', async () => {
    const columns: Column[] = [
      ['OK', ColumnType.Bool],
      ['SMALL', ColumnType.Short],
      ['LOTS', ColumnType.Int],
      ['PIN', ColumnType.Long],
      ['OWNER', ColumnType.String],
      ['ACRES', ColumnType.Double],
      ['RATE', ColumnType.Float],
      ['MORE', ColumnType.Json],
      ['NEXT', ColumnType.ULong],
      ['LEAST', ColumnType.Long],
    ];
    const rest = ['PEÑA', 2.5, 0.5, { a: ['x'] }];
    const rows = [
      [true, 3, 7, 490_711_113_003_000_101n, ...rest, 9_007_199_254_740_993n, -9_007_199_254_740_993n],
      [false, 3, 7, 490_711_113_003_000_102n, ...rest, null, -12n],
      [null, null, null, 12n, 'LEE', null, null, null, null, null],
    ];
    const found = await read(packTyped(columns, rows));
    expect(found.bad).toEqual([]);
    const [first, second, third] = found.rows.map(row => row.values);
    expect(first).toEqual({
      OK: true,
      SMALL: 3,
      LOTS: 7,
      PIN: '490711113003000101',
      OWNER: 'PEÑA',
      ACRES: 2.5,
      RATE: 0.5,
      MORE: { a: ['x'] },
      NEXT: '9007199254740993',
      LEAST: '-9007199254740993',
    });
    expect(second).toMatchObject({ PIN: '490711113003000102', LEAST: -12 });
    expect(third).toEqual({ PIN: 12, OWNER: 'LEE' });
  });

  test('a count of 0 means that it is unknown', async () => {
    const rows = [['7'], ['8'], ['9']];
    const columns: Column[] = [['PID', ColumnType.String]];
    expect((await read(packTyped(columns, rows, 0))).rows.map(row => row.values.PID)).toEqual([
      '7',
      '8',
      '9',
    ]);
    expect(await read(packTyped(columns, [], 0))).toEqual({ rows: [], bad: [] });
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
