import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnreadable } from '../../../shared/geo/geometry-checks.ts';
import { readCollection } from '../../../workers/formats/collection.ts';
import { readFeatureLines } from '../../../workers/formats/json.ts';
import { runs } from '../../support/runs.ts';
import { feature, fixtures, makeZip, readerOf, readInChunks, values } from './make.ts';

const readJson = readerOf('geojson', 'a.geojson');
const readLines = readerOf('ndgeojson', 'a.ndjson');
const readObjects = readerOf('ndjson', 'a.ndjson');
const westOf = (geometry: unknown) => (geometry as { coordinates: number[][][] }).coordinates[0]![0]![0];
const two = [feature('1-1', { OWNER: 'A "quoted" {brace}' }), feature(2, { OWNER: 'B\\' })];
const collection = (features: object[], more: object = {}) =>
  JSON.stringify({ type: 'FeatureCollection', ...more, features });

describe('GeoJSON FeatureCollection', () => {
  test('yields properties, the id as $id, and the geometry', async () => {
    const read = await readJson(collection(two));
    expect(read.bad).toEqual([]);
    expect(read.rows.map(row => [row.rowNo, row.values])).toEqual([
      [1, { OWNER: 'A "quoted" {brace}', $id: '1-1' }],
      [2, { OWNER: 'B\\', $id: 2 }],
    ]);
    expect(read.rows[0]!.geometry).toEqual((two[0] as { geometry: unknown }).geometry);
  });

  test('a real roll is read the same as by JSON.parse, also as gzip and ZIP', async () => {
    const bytes = readFileSync(`${fixtures}washington-parcels.geojson`);
    const whole: { features: { id: unknown; properties: object; geometry: object }[] } = JSON.parse(
      bytes.toString(),
    );
    const expected = whole.features.map(({ id, properties, geometry }, i) => ({
      rowNo: i + 1,
      values: { ...properties, $id: id },
      geometry,
    }));
    for (const packed of [bytes, gzipSync(bytes), makeZip({ 'a/b/w.geojson': bytes })])
      expect((await readJson(packed)).rows).toEqual(expected);
  });

  test('any collection is split right, wherever the chunks are cut', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', 'ñ', '漢', ',') });
    const any = fc.array(fc.dictionary(text, fc.oneof(text, fc.constant(null), fc.array(text))), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        any,
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(0, 2),
        async (all, size, indent) => {
          const features = all.map((properties, i) => feature(i, properties));
          const document = {
            name: 'x "features": [',
            type: 'FeatureCollection',
            features,
            after: [{ features: [] }],
          };
          const bytes = Buffer.from(JSON.stringify(document, null, indent));
          const read = await readInChunks(readCollection, bytes, size, { format: 'geojson' });
          expect(read.bad).toEqual([]);
          expect(values(read)).toEqual(all.map((properties, i) => ({ ...properties, $id: i })));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test('more than one batch arrives, about 1,000 rows each, and none is lost', async () => {
    const read = await readJson(collection(Array.from({ length: 2_500 }, (_, i) => feature(i, { i }))));
    expect(read.rows.map(row => row.values.i)).toEqual(Array.from({ length: 2_500 }, (_, i) => i));
  });

  test.each([
    ['by name', { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::26919' } }, {}],
    ['by EPSG code', { type: 'EPSG', properties: { code: 26919 } }, {}],
    [
      "unless the feed's is another",
      { type: 'name', properties: { name: 'EPSG:26918' } },
      { crs: 'EPSG:26919' },
    ],
  ])('the crs member of GeoJSON 2008 counts: %s', async (_, crs, spec) => {
    const [row] = (await readJson(collection([feature(1, {}, 500_000, 4_760_000)], { crs }), spec)).rows;
    expect(westOf(row!.geometry)).toBeCloseTo(-69, 9);
  });

  test("a projected crs after the features is refused, one in degrees isn't", async () => {
    const behind = (name: string) =>
      `{"type":"FeatureCollection","features":[${JSON.stringify(two[0])}],"crs":{"type":"name","properties":{"name":"${name}"}}}`;
    expect((await readJson(behind('urn:ogc:def:crs:OGC:1.3:CRS84'))).rows).toHaveLength(1);
    await expect(readJson(behind('EPSG:3857'))).rejects.toThrow(/3857.*"crs"/);
  });

  test('meters without a crs are refused instead of read as degrees', async () => {
    await expect(readJson(collection([feature(1, {}, 500_000, 4_760_000)]))).rejects.toMatchObject({
      code: 'feed_crs',
      message: expect.stringMatching(/a\.geojson.*500000, 4760000.*"crs"/),
    });
  });

  test('an invalid feature is a bad row with its text', async () => {
    const odd = [
      { type: 'Point' },
      { ...feature(1, {}), properties: 7 },
      { ...feature(1, {}), geometry: 'POINT(1 2)' },
    ];
    const read = await readJson(collection([two[0]!, ...odd, two[1]!]));
    expect(read.rows.map(row => row.rowNo)).toEqual([1, 4, 5]);
    expect(isUnreadable(read.rows[1]!.geometry)).toBe(true);
    expect(read.bad.map(bad => [bad.rowNo, bad.reason, bad.field, bad.raw])).toEqual([
      [2, 'unreadable_row', 'type', JSON.stringify(odd[0])],
      [3, 'unreadable_row', 'properties', JSON.stringify(odd[1])],
    ]);
  });

  test('a feature with broken JSON is a bad row, an invalid coordinate costs only the shape', async () => {
    const nan = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[null,1]}}';
    const point =
      '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[500000,4760000]}}';
    const read = await readJson(
      `{"type":"FeatureCollection","features":[{"type":"Feature",,},${nan},${point}]}`,
      { crs: 'EPSG:26919' },
    );
    expect(read.bad.map(bad => bad.reason)).toEqual(['unreadable_row']);
    expect(read.rows.map(row => isUnreadable(row.geometry))).toEqual([true, false]);
  });

  test.each([
    ['{"type":"FeatureCollection","features":[{"type":"Feature"', 'feed_source', /./],
    ['{"type":"FeatureCollection","features":[', 'feed_source', /./],
    ['{"type":"FeatureCollection","features":[]', 'feed_format', /JSON/],
    ['{"type":"FeatureCollection","features":[7]}', 'feed_format', /Feature\b.*\b7\b/],
    ['{"type":"Feature","properties":{},"geometry":null}\n{}', 'feed_format', /ndgeojson/],
    ['{"type":"Topology","features":[]}', 'feed_format', /FeatureCollection/],
    ['PID,OWNER\n1,2\n', 'feed_format', /FeatureCollection/],
    ['', 'feed_format', /FeatureCollection/],
  ])('%j is refused', async (text, code, message) => {
    const read = readJson(text);
    await expect(read).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(read).rejects.toThrow(/a\.geojson/);
  });

  test('an empty collection has no rows, and null geometry stays null', async () => {
    expect((await readJson(collection([]))).rows).toEqual([]);
    expect(
      (await readJson(collection([{ type: 'Feature', properties: null, geometry: null }]))).rows,
    ).toEqual([{ rowNo: 1, values: {}, geometry: null }]);
  });
});

describe('newline-delimited GeoJSON', () => {
  const lines = two.map(each => JSON.stringify(each));

  test.each([
    ['LF', `${lines.join('\n')}\n`],
    ['CRLF and blank lines', `\r\n${lines.join('\r\n\r\n')}\r\n`],
    ['no end of line at the end', lines.join('\n')],
    ['an RFC 8142 sequence', lines.map(line => `\x1e${line}\n`).join('')],
    [
      'an RFC 8142 sequence over several lines',
      two.map(each => `\x1e${JSON.stringify(each, null, 2)}\n`).join(''),
    ],
    ['a byte order mark', `\uFEFF${lines.join('\n')}`],
  ])('%s', async (_, text) => {
    const read = await readLines(text);
    expect(read.bad).toEqual([]);
    expect(read.rows.map(row => [row.rowNo, row.values.$id])).toEqual([
      [1, '1-1'],
      [2, 2],
    ]);
    for (let size = 1; size < 40; size += 7) {
      const chunked = await readInChunks(readFeatureLines, Buffer.from(text), size, { format: 'ndgeojson' });
      expect(chunked.rows).toEqual(read.rows);
    }
  });

  test('a broken line is a bad row, and the rest is read', async () => {
    const read = await readLines(`${lines[0]}\n{"type":"Feature",\n[1]\n${lines[1]}\n`);
    expect(read.rows.map(row => row.rowNo)).toEqual([1, 4]);
    expect(read.bad).toMatchObject([
      { rowNo: 2, reason: 'unreadable_row', raw: '{"type":"Feature",' },
      { rowNo: 3, reason: 'unreadable_row', raw: '[1]' },
    ]);
  });

  test('a file that ends in the middle of a line is refused; a complete last line needs no end', async () => {
    await expect(readLines(`${lines[0]}\n${lines[1]!.slice(0, -9)}`)).rejects.toMatchObject({
      code: 'feed_source',
    });
    expect((await readLines(lines.join('\n'))).rows).toHaveLength(2);
  });

  test('a line beyond the limit is a bad row, and the rest is read', async () => {
    const read = await readLines(
      `${lines[0]}\n{"x":"${'y'.repeat(3_000_000)}"}\n${lines[1]}\n`,
      {},
      { limits: { rowBytes: 1_000_000 } },
    );
    expect(read.rows.map(row => row.rowNo)).toEqual([1, 3]);
    expect(read.bad).toMatchObject([{ rowNo: 2, reason: 'row_too_long' }]);
  });

  test('Latin-1 and UTF-16 are transcoded', async () => {
    const text = `${JSON.stringify(feature(1, { OWNER: 'PEÑA' }))}\n`;
    for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(`\uFEFF${text}`, 'utf16le')]) {
      const read = await readLines(bytes);
      expect(read.rows[0]!.values.OWNER).toBe('PEÑA');
    }
  });
});

test('NDJSON yields the objects as they are, even from gzip and ZIP', async () => {
  const text = '{"ListingKey":"a","ListPrice":1}\n7\n{"ListingKey":"b","Media":[{"u":1}]}\n';
  for (const packed of [text, gzipSync(text), makeZip({ 'n.jsonl': text })]) {
    const read = await readObjects(packed);
    expect(read.rows).toEqual([
      { rowNo: 1, values: { ListingKey: 'a', ListPrice: 1 }, geometry: null },
      { rowNo: 3, values: { ListingKey: 'b', Media: [{ u: 1 }] }, geometry: null },
    ]);
    expect(read.bad).toMatchObject([{ rowNo: 2, reason: 'unreadable_row', raw: '7' }]);
  }
});
