import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnreadable } from '../../../shared/geo/geometry-checks.ts';
import { parseJson } from '../../../workers/formats/exact-json.ts';
import { lots, read as readLayer, withLayer } from '../../support/arcgis.ts';
import { runs } from '../../support/runs.ts';
import { collectionOf, readerOf, values } from './make.ts';

/** Two neighbors that a double can't tell apart. */
const KEYS = ['490711113003000101', '490711113003000102'];

const feature = (key: string) =>
  `{"type":"Feature","id":${key},"properties":{"PIN":${key},"ACRES":2.50,"NESTED":{"PIN":[${key}]}},"geometry":null}`;

describe('whole numbers beyond 2^53 keep their digits', () => {
  const expected = KEYS.map(key => ({ PIN: key, ACRES: 2.5, NESTED: { PIN: [key] }, $id: key }));
  const [geojson, lines] = [readerOf('geojson', 'a.json'), readerOf('ndgeojson', 'b.json')];

  test('GeoJSON', async () => {
    expect(values(await geojson(collectionOf(KEYS.map(feature))))).toEqual(expected);
  });

  test('GeoJSON lines', async () => {
    expect(values(await lines(KEYS.map(feature).join('\n')))).toEqual(expected);
  });

  const objects = readerOf('ndjson', 'c.json');
  test('JSON lines', async () => {
    const text = KEYS.map(key => `{"PIN": ${key}, "NEXT": -${key}}`).join('\n');
    expect(values(await objects(text))).toEqual(KEYS.map(key => ({ PIN: key, NEXT: `-${key}` })));
  });

  test('a layer of an ArcGIS server', async () => {
    const features = lots(2);
    const page = (ids: number[]) =>
      ids
        .map(id => JSON.stringify(features[id - 1]).replace(/"PIN":"[^"]*"/, `"PIN":${KEYS[id - 1]}`))
        .join();
    const fault = (query: URLSearchParams, _count: number, ids: number[]) =>
      query.has('returnCountOnly') || query.has('returnIdsOnly') || ids.length === 0
        ? undefined
        : { body: `{"type":"FeatureCollection","features":[${page(ids)}]}` };
    await withLayer({ features, fault }, async server => {
      const { rows } = await readLayer(server.source);
      expect(rows.map(row => row.values.PIN)).toEqual(KEYS);
    });
  });

  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['[12345678901234567890.0]', ['12345678901234567890']],
    ['[12345678901234567.25]', ['12345678901234567.25']],
    ['0.12345678901234567', 0.12345678901234566],
    ['-72.123456789012345678', -72.12345678901235],
    ['1e300', 1e300],
    ['[1,12345678901234567]', [1, '12345678901234567']],
    [
      '{"a":"x: 12345678901234567","b":"\\" 12345678901234567"}',
      { a: 'x: 12345678901234567', b: '" 12345678901234567' },
    ],
  ])('%s', (text, value) => expect(parseJson(text)).toEqual(value));

  test('everything else equals the result of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (value, number) => {
        const beside = JSON.stringify([value]);
        // Numbers that JavaScript itself writes with that many digits are rounded already.
        fc.pre(!/[:,[\s-]\d{16}/.test(beside));
        const read = Number.isSafeInteger(Number(number)) ? Number(number) : String(number);
        expect(parseJson(`[${beside},${number}]`)).toEqual([JSON.parse(beside), read]);
      }),
      { numRuns: runs(200) },
    );
  });
});

const words = readerOf('geojson', 'n.json');
test('NaN and Infinity: in a coordinate they cost the shape, in a value the value', async () => {
  const row = (acres: string, x: string) =>
    `{"type":"Feature","properties":{"PID":"NaN Infinity","ACRES":${acres}},"geometry":{"type":"Point","coordinates":[${x},43.1]}}`;
  const text = [row('1', '-72.1'), row('NaN', '-72.1'), row('-Infinity', '-72.1'), row('2', 'NaN')];
  const { rows, bad } = await words(collectionOf(text), { crs: 'EPSG:3857' });
  expect(bad).toEqual([]);
  expect(rows.map(each => [each.values.ACRES, isUnreadable(each.geometry)])).toEqual([
    [1, false],
    ['NaN', false],
    ['-Infinity', false],
    [2, true],
  ]);
  expect(rows.every(each => each.values.PID === 'NaN Infinity')).toBe(true);
  expect(() => parseJson('{"a":1e-14.0}')).toThrow(SyntaxError);
});
