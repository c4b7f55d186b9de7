import { readFileSync } from 'node:fs';
import { geojsonToWkb, parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { contextFor, fixtures, readAll, readerOf, values } from './make.ts';

const read = readerOf('parquet', 'x.parquet');
const bytesOf = (name: string) => readFileSync(fixtures + name);
const fixture = (source: string) => readAll({ source, format: 'parquet' }, contextFor(fixtures));

describe('GeoParquet', () => {
  test('from another writer has shapes in degrees and unchanged columns', async () => {
    const { rows, bad } = await fixture('naturalearth.parquet');
    expect(bad).toEqual([]);
    expect(rows.map(row => [row.values.iso_a3, row.values.pop_est, row.geometry?.type])).toEqual([
      ['FJI', 889_953, 'MultiPolygon'],
      ['TZA', 58_005_463, 'Polygon'],
      ['ESH', 603_253, 'Polygon'],
      ['CAN', 37_589_262, 'MultiPolygon'],
      ['USA', 328_239_523, 'MultiPolygon'],
    ]);
    expect(rows[0]!.values).not.toHaveProperty('geometry');
  });

  test('in feet is read by a PROJJSON without a code', async () => {
    const { rows } = await fixture('washington-parcels.parquet');
    const [x, y] = (rows[0]!.geometry as { coordinates: number[][][] }).coordinates[0]![0]!;
    expect([x, y].map(degrees => degrees!.toFixed(7))).toEqual(['-72.1240700', '43.2424200']);
  });

  test('in Web Mercator is read by a code instead of PROJJSON', async () => {
    const [x, y] = [-8_026_135, 5_336_500];
    const geometry = { encoding: 'WKB', geometry_types: ['Point'], crs: 'EPSG:3857' };
    const file = parquetWriteBuffer({
      columnData: [
        { name: 'pin', data: ['1'] },
        { name: 'shape', data: [geojsonToWkb({ type: 'Point', coordinates: [x, y] })], type: 'BYTE_ARRAY' },
      ],
      kvMetadata: [
        {
          key: 'geo',
          value: JSON.stringify({ version: '1.1.0', primary_column: 'shape', columns: { shape: geometry } }),
        },
      ],
    });
    const { rows } = await read(Buffer.from(file));
    const [lon, lat] = (rows[0]!.geometry as unknown as { coordinates: number[] }).coordinates;
    expect(lon).toBeCloseTo((x / 6_378_137) * (180 / Math.PI), 7);
    expect(lat).toBeCloseTo(Math.atan(Math.sinh(y / 6_378_137)) * (180 / Math.PI), 7);
  });

  test('on NAD27, or with an invalid WKB shape, is refused with the remedy', async () => {
    const good = bytesOf('washington-parcels.parquet').toString('latin1');
    const edited = (from: string, to: string) => {
      expect(good).toContain(from);
      return Buffer.from(good.replaceAll(from, to.padEnd(from.length)), 'latin1');
    };
    await expect(read(edited('6378137', '6378206'))).rejects.toMatchObject({
      code: 'feed_crs',
      message: expect.stringMatching(/NAD27/),
    });
    await expect(read(edited('"WKB"', '"geo"'))).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/stored as "geo".*ogr2ogr/),
    });
  });
});

test('rows of several row groups in order, and decimals with their signs', async () => {
  const schema = [
    { name: 'root', num_children: 2 },
    { name: 'pin', type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const },
    {
      name: 'price',
      type: 'INT64' as const,
      converted_type: 'DECIMAL' as const,
      scale: 2,
      precision: 18,
    },
  ];
  const cents = [-1n, -105n, 0n, 5n, -123_456_789_012_345_678n, 99n, -100n];
  const file = parquetWriteBuffer({
    schema,
    columnData: [
      { name: 'pin', data: cents.map((_, n) => `P${n}`) },
      { name: 'price', data: cents },
    ],
    rowGroupSize: 2,
  });
  const { rows, bad } = await read(Buffer.from(file));
  expect(bad).toEqual([]);
  expect(rows.map(({ rowNo, values: { pin, price } }) => [rowNo, pin, price])).toEqual(
    [-0.01, -1.05, 0, 0.05, '-1234567890123456.78', 0.99, -1].map((price, n) => [n + 1, `P${n}`, price]),
  );
});

test('plain Parquet: days, decimals, and long integers as plain values', async () => {
  const { rows } = await fixture('washington-roll.parquet');
  expect(rows.map(row => row.rowNo)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  const sold = values({ rows, bad: [] }).find(row => row.SALEDATE !== null)!;
  expect(sold).toMatchObject({
    SALEDATE: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    SALEPRICE: expect.any(Number),
  });
  expect(rows[0]!.values).toMatchObject({ TOTTXVAL: 786_700, SALEPRICE: null, ACRES: 0, SALEDATE: null });
});

test('shapes as bytes: in a column with a usual name, or one that the feed names', async () => {
  const { rows } = await fixture('washington-wkb.parquet');
  const { rows: same } = await readAll(
    { source: 'washington-parcels.geojson', format: 'geojson' },
    contextFor(fixtures),
  );
  expect(rows.map(({ geometry }) => geometry)).toEqual(same.map(({ geometry }) => geometry));
  const other = Buffer.from(
    bytesOf('washington-wkb.parquet').toString('latin1').replaceAll('geom', 'blob'),
    'latin1',
  );
  expect((await read(other)).rows[0]!.geometry).toBeNull();
  expect((await read(other, { layer: 'BLOB' })).rows[0]!.geometry).toEqual(same[0]!.geometry);
});

describe('unreadable files', () => {
  const good = bytesOf('washington-roll.parquet');
  test.each([
    ['another format', Buffer.from('PID,OWNER\n1,A\n'), 'feed_format', /Parquet/],
    ['empty', Buffer.alloc(0), 'feed_format', /Parquet/],
    ['cut', good.subarray(0, 3_000), 'feed_source', /footer/],
    ['damaged', Buffer.from(good).fill(0xff, 20, 2_000), 'feed_format', /Parquet/],
    [
      'a footer longer than the file',
      Buffer.from(good).fill(0x7f, good.length - 8, good.length - 5),
      'feed_format',
      /Parquet/,
    ],
  ])('%s', async (_, bytes, code, message) => {
    await expect(read(bytes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});
