import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { lot } from '../../support/ingest.ts';
import { suggester } from '../../support/suggest.ts';
import { wkbOf } from '../formats/wkb.ts';
import { date, number, text, workbook } from '../formats/workbook.ts';

/** What is suggested for files that are read in a process of their own, whenever Plat looks at them. */

const suggest = suggester();

const ROWS = 60;
const numbers = Array.from({ length: ROWS }, (_, n) => n);
const pin = (n: number) => `${10 + (n % 7)}-${1000 + 7 * n}`;
const owner = (n: number) => `DOE JOHN ${n} LLC`;
const street = (n: number) => `${101 + 3 * n} ${['OAK ST', 'ELM RD', 'LAKE DR'][n % 3]}`;

test('Parquet without its shapes, under any name for its CRS or none', async () => {
  const geometry = numbers.map(n =>
    n === 0 ? null : n === 1 ? wkbOf({ type: 'Polygon', coordinates: [] }) : wkbOf(lot(n)),
  );
  const write = (crs: object) =>
    Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'PIN', data: numbers.map(pin), type: 'STRING' },
          { name: 'geometry', data: geometry, type: 'BYTE_ARRAY' },
        ],
        kvMetadata: [
          {
            key: 'geo',
            value: JSON.stringify({
              version: '1.1.0',
              primary_column: 'geometry',
              columns: { geometry: { encoding: 'WKB', geometry_types: [], ...crs } },
            }),
          },
        ],
      }),
    );
  for (const crs of [{}, { crs: null }]) {
    const found = await suggest(write(crs), 'parquet');
    expect([found.fips, found.rows, found.check!.parts[0]!.usable]).toEqual(['33019', ROWS, ROWS]);
  }
  await expect(suggest(write({ crs: 'EPSG:99999' }), 'parquet')).rejects.toThrow(/crs/i);
});

test('a report in a workbook: titles, a column without a name, and empty default sheets', async () => {
  const rows = numbers.map(n => [
    text(`020-${15_113 + 7 * n}-0-0000`),
    text(owner(n)),
    text(street(n)),
    number(22_000 + n),
  ]);
  const titles = [
    [text('Sale Year: 2017')],
    ['<c/>', text('Tax Sale Parcel List'), '<c/>', text('Page 1 of 30')],
  ];
  const header = [text('Account Number'), '<c/>', text('Site Address'), text('Sale Amount')];
  const sheets = { Sheet1: [...titles, header, ...rows], Sheet2: [], Sheet3: [] };
  const found = await suggest(workbook(sheets), 'xlsx', '31109');
  expect(found.rows).toBe(ROWS);
  expect(found.suggestions!.key).toMatchObject({ columns: ['Account Number'] });
});

test("a workbook in which some parcel numbers have become dates can't run; one with a column of sale dates can", async () => {
  const header = ['PARCEL_ID', 'OWNER', 'SALE_DATE'].map(text);
  const roll = (damaged: number) =>
    numbers.map(n => [n < damaged ? date(45_000 + n) : text(pin(n)), text(owner(n)), date(40_000 + 31 * n)]);
  const good = await suggest(workbook({ Roll: [header, ...roll(0)] }), 'xlsx', '33019');
  const sold = good.check!.parts[0]!.columns.find(({ target }) => target === 'last_sale_date');
  expect([good.problems, sold?.samples.map(({ out }) => out)]).toEqual([
    [],
    ['2009-07-06', '2009-08-06', '2009-09-06'],
  ]);
  for (const damaged of [6, ROWS]) {
    const found = await suggest(workbook({ Roll: [header, ...roll(damaged)] }), 'xlsx', '33019');
    expect(found.problems.length).toBeGreaterThan(0);
    expect(found.check!.parts[0]!.rejected).toMatchObject([
      { field: 'key', reason: 'damaged_key', count: damaged, rowNo: 1 },
    ]);
  }
});
